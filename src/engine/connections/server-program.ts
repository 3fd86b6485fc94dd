/**
 * The `nats-server` of this machine: where it is, and whether it is young enough (protocol.md B9).
 * Law: what is missing is said with how to get it; an old one is refused before it is started.
 */
import { execFile } from 'node:child_process';
import { VakError } from '../../shared/base/vak-error.ts';

/** Path of a program on the user's path; undefined if there is none. */
export type FindOnPath = (name: string) => string | undefined | Promise<string | undefined>;

export interface ServerProgram {
  readonly path: string;
  /** `2.9.10` */
  readonly version: string;
}

const needed = [2, 9] as const;
const installHint =
  'install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server; Windows: winget install NATSAuthors.NATSServer) so that it is on the PATH';

function askVersion(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // The program needs nothing of our environment, and gets nothing.
    execFile(path, ['--version'], { timeout: 10_000, maxBuffer: 64 * 1024, env: {} }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new VakError('spawn-failed', 'nats-server: does not tell its version; is it the right program?', {
            cause: error,
          }),
        );
    });
  });
}

/** Finds it. Throws `not-found`, `unsupported` (older than 2.9), `spawn-failed`. */
export async function findServerProgram(findOnPath: FindOnPath): Promise<ServerProgram> {
  const path = await findOnPath('nats-server');
  if (path === undefined) throw new VakError('not-found', `nats-server: not found; ${installHint}`);
  const told = /v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(await askVersion(path));
  const [major, minor] = [Number(told?.[1] ?? 0), Number(told?.[2] ?? 0)];
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) {
    return { path, version: `${major}.${minor}.${Number(told?.[3])}` };
  }
  const what = told === null ? 'tells no version' : `is version ${major}.${minor}`;
  throw new VakError('unsupported', `nats-server: ${what}, version 2.9 or later is needed; ${installHint}`);
}
