/** Connects a program to the fabric, as a peer of its own (protocol.md A4, B8). */
import { requireSelfTest } from '../../engine/crypto/require-self-test.ts';
import { runSelfTest } from '../../engine/crypto/self-test.ts';
import type { Environment } from '../../engine/settings/secret-sources.ts';
import { createDeferred } from '../../engine/wait.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CliHost, CommonOptions } from '../cli/command.ts';
import { type WorkPeerAsked, withWorkPeer } from '../work-peer.ts';
import { createConnectionLife } from './calls.ts';
import { checkConnectOptions, commonOf, inOwnWords } from './connect-options.ts';
import { embeddedParts } from './embedded-engine.ts';
import { finishMsOf } from './function-work.ts';
import type { ConnectOptions, Vak } from './library-api.ts';
import { createLibraryHost } from './library-host.ts';
import type { CloseOptions } from './queue-api.ts';
import { openVakConnection, type VakConnection } from './vak-connection.ts';

/** Nothing of a connection keeps a process alive by itself while its server is away. */
const foreverMs = 0x7fff_ffff;

interface Prepared {
  readonly host: CliHost;
  readonly asked: WorkPeerAsked;
}

function prepare(options: ConnectOptions, environment: Environment, signal: AbortSignal): Prepared {
  const { embedded, passphrase, onLog, roles = [], queues = [] } = options;
  const parts = embedded === undefined ? undefined : embeddedParts(embedded);
  const vault = parts === undefined ? {} : { vault: parts.vault };
  const { host, log } = createLibraryHost({ environment, passphrase, onLog, signal, ...vault });
  const common: CommonOptions & { readonly identity: string } =
    parts === undefined
      ? commonOf(options, host)
      : commonOf({ identity: options.identity, workspace: parts.workspace, profile: parts.profile }, host);
  const onRefused = ({ code, message }: VakError): void => host.logger.error('refused-by-server', { code, message });
  const through = parts === undefined ? {} : { through: parts.through };
  return { host, asked: { common, roles, queues, log, onRefused, ...through } };
}

/** That a program wants its connection to end, and how long what runs may take. */
function createFarewell() {
  const asked = createDeferred<void>();
  let finishWithinMs: number | undefined;
  return {
    asked: asked.promise,
    finishWithinMs: () => finishWithinMs ?? 0,
    /** The first word counts. */
    ask(withinMs: number): void {
      finishWithinMs ??= withinMs;
      asked.resolve();
    },
  };
}

function asVakError(thrown: unknown, { logger }: CliHost): VakError {
  if (isVakError(thrown)) return thrown;
  return new VakError('internal', `a fault of the library; it is logged under ${logger.bug('library', thrown)}`);
}

/** Runs the peer until the connection ends. `opened` rejects if it does not come about, `done` never. */
function run({ host, asked }: Prepared) {
  const life = createConnectionLife();
  const farewell = createFarewell();
  const opened = createDeferred<Vak>();
  const alive = setInterval(() => {}, foreverMs);
  let connection: VakConnection | undefined;

  async function close(options?: CloseOptions): Promise<void> {
    farewell.ask(finishMsOf(options));
    await done;
  }

  const working = withWorkPeer(asked, host, async (peer) => {
    if (host.signal.aborted) throw new VakError('aborted', 'connect: cancelled');
    connection = await openVakConnection({ peer, host, log: asked.log, life, close });
    opened.resolve(connection.vak);
    try {
      await Promise.race([farewell.asked, peer.ended]);
    } finally {
      await connection.drain(farewell.finishWithinMs());
      // Whoever still waits for something is let go.
      life.end(new VakError('closed', 'the connection is closed; connect again'));
      await connection.end();
    }
  });
  const done = working
    .then(
      () => connection?.settle(undefined),
      (thrown: unknown) => {
        const error = asVakError(thrown, host);
        opened.reject(error);
        life.end(error);
        if (connection !== undefined) host.logger.error('closed', { code: error.code, message: error.message });
        connection?.settle(error);
      },
    )
    .finally(() => clearInterval(alive));
  return { opened: opened.promise, done };
}

/** As {@link ConnectOptions} says. `environment`: of the process; of it only documented names are read. */
export async function connectWith(given: unknown, environment: Environment): Promise<Vak> {
  const options = checkConnectOptions(given);
  requireSelfTest(runSelfTest());
  const connecting = new AbortController();
  const abort = (): void => connecting.abort();
  const { signal } = options;
  signal?.addEventListener('abort', abort);
  if (signal?.aborted === true) abort();
  try {
    if (connecting.signal.aborted) throw new VakError('aborted', 'connect: cancelled', { cause: signal?.reason });
    return await run(prepare(options, environment, connecting.signal)).opened;
  } catch (error) {
    throw inOwnWords(error);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
