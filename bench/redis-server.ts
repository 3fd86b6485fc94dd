/** A Redis of the bench's own, if the machine has one: on a socket in a temporary folder, gone with the process that started it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface RedisServer {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Where redis-server is; undefined: nowhere on the PATH. */
export async function findRedisServer(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, 'redis-server');
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** Ends the server and removes its folder when its input closes: when it is asked to, and when we are gone. */
const keeperScript = `folder=$1; shift; trap '' INT TERM HUP; "$@" >"$folder/log" 2>&1 & server=$!
read -r line; kill "$server"; wait "$server"; rm -rf "$folder"`;

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isUp: boolean) => (): void => {
      connection.destroy();
      resolve(isUp);
    };
    connection.once('connect', end(true));
    connection.once('error', end(false));
  });
}

/** Starts one; everything that it takes is in its append-only file, synced `always` or as the system likes (`no`). */
export async function startRedisServer(appendfsync: 'always' | 'no'): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-bench-redis-'));
  const socket = join(folder, 'socket');
  const settings = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const keeper = spawn(
    'sh',
    ['-c', keeperScript, 'keeper', folder, 'redis-server', ...settings, '--appendfsync', appendfsync],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const ended = once(keeper, 'exit');
  const stop = async (): Promise<void> => {
    keeper.stdin.end();
    await ended;
  };
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await answers(socket)) return { socket, stop };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await stop();
  throw new Error('redis-server did not answer within 5 s');
}
