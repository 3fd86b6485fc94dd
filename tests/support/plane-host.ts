/** Main's end of a durable plane over a channel whose other end a test plays, frame by frame. */

import { serveChannelPlane } from '../../src/engine/bus/channel/channel-plane-host.ts';
import type { DurablePlane } from '../../src/engine/bus/durable.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { createFakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createJsonLogger } from '../../src/engine/ports/logger.ts';
import { createSeededRandomness } from '../../src/engine/ports/randomness.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { VakError } from '../../src/shared/base/vak-error.ts';
import { createPlayedPeer } from './played-peer.ts';

export const subject = 'vak.rooms.ws.r.log';
export const mebibyte = 1024 * 1024;

/** Promises and everything that they set off. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A plane on which every call of every handle is counted, and does what `answer` says: at first nothing, for ever. */
function createCountedPlane() {
  const asked: { readonly method: string; readonly args: readonly unknown[] }[] = [];
  const state = { answer: (): unknown => new Promise(() => {}), disposedCount: 0 };
  const handle = (path: string): unknown =>
    new Proxy(
      {},
      {
        get(_, property) {
          const method = `${path}${String(property)}`;
          if (['stream', 'consumer', 'keyValue', 'objects'].includes(String(property)))
            return () => handle(`${method}.`);
          return (...args: unknown[]) => {
            asked.push({ method, args });
            if (method === 'keyValue.watch') return { dispose: () => state.disposedCount++ };
            return state.answer();
          };
        },
      },
    );
  return { plane: handle('') as DurablePlane, asked, state };
}

function serve(durable: DurablePlane) {
  const log: Record<string, unknown>[] = [];
  const logger = createJsonLogger(
    (line) => log.push(JSON.parse(line) as Record<string, unknown>),
    () => 0,
    () => 'bug-1',
  );
  const peer = createPlayedPeer();
  const clock = createFakeClock();
  const served = serveChannelPlane({ port: peer.port, durable, clock, logger });
  let id = 0;
  /** Calls with the next id. */
  const call = (fields: Record<string, unknown>): number => {
    peer.say({ kind: 'durable-call', id: ++id, call: fields });
    return id;
  };
  const heardOf = (of: number) => peer.heard.filter((frame) => frame['id'] === of);
  /** The first answer, or part, of a call. */
  const answerOf = <T>(of: number): T => heardOf(of)[0]?.['value'] as T;
  const codeOf = (of: number): string | undefined => (heardOf(of).at(-1)?.['error'] as VakError | undefined)?.code;
  return { ...peer, log, clock, served, call, heardOf, answerOf, codeOf };
}

/** A host on a counted plane. */
export function serveCounted() {
  const { plane, asked, state } = createCountedPlane();
  return { ...serve(plane), asked, state };
}

/** A host on an embedded engine with a stream of one subject and a consumer of it. */
export async function serveEmbedded() {
  const ports = { clock: createFakeClock(), randomness: createSeededRandomness(3) };
  const logger = createJsonLogger(
    () => {},
    () => 0,
    () => 'x',
  );
  const { durable } = await createEmbeddedFabric({ folder: undefined, durability: 'written', ...ports, logger });
  await durable.ensureStream({
    ...{ name: 'S', subjects: [subject], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 0 },
  });
  const spec = {
    name: 'c',
    filter: subject,
    ackWaitMs: 30_000,
    maxDeliver: 9,
    maxInFlight: 65_536,
    start: 'all',
  } as const;
  const consumer = await durable.stream('S').ensureConsumer(spec);
  await durable.ensureObjects('OBJ');
  return { ...serve(durable), durable, consumer, engineClock: ports.clock };
}

export const oneAppend = { method: 'append', subject, data: utf8('x'), options: {} };
export const onePull = { method: 'pull', stream: 'S', consumer: 'c', batch: 256, waitMs: 0 };
