import type { AppendOptions, Consumer, ConsumerSpec, DurablePlane, Stream } from '../../src/engine/bus/durable.ts';
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import { createStreamPlane, type StreamPlane } from '../../src/engine/bus/memory/stream-plane.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSeededRandomness } from '../../src/engine/ports/randomness.ts';
import { toText, utf8 } from '../../src/shared/base/bytes.ts';
import type { StreamSpec } from '../../src/shared/protocol/stream-table.ts';
import { createLineLogger } from './line-logger.ts';

/** A journal in memory that counts commits, and fails or waits when told to. */
export interface TestedJournal extends Journal {
  readonly commits: readonly number[];
  readOnlyReason: string | undefined;
  /** Commits throw this, and keep nothing. */
  failure: Error | undefined;
  /** Holds commits back until `release`. */
  hold(): () => void;
  /** All that it holds, as hex. */
  dump(): Promise<readonly string[]>;
}

function createTestedJournal(): TestedJournal {
  const inner = createMemoryJournal();
  const commits: number[] = [];
  let gate: Promise<void> | undefined;
  const journal: TestedJournal = {
    commits,
    readOnlyReason: undefined,
    failure: undefined,
    async commit(changes) {
      await gate;
      if (journal.failure !== undefined) throw journal.failure;
      commits.push(changes.length);
      await inner.commit(changes);
    },
    get: inner.get,
    entries: inner.entries,
    close: inner.close,
    hold() {
      let release = (): void => {};
      gate = new Promise((resolve) => {
        release = () => {
          gate = undefined;
          resolve();
        };
      });
      return () => release();
    },
    async dump() {
      const lines: string[] = [];
      for await (const { key, value } of inner.entries({ from: new Uint8Array(0), to: Uint8Array.of(0xff) })) {
        lines.push(`${Buffer.from(key).toString('latin1')} = ${Buffer.from(value).toString('hex')}`);
      }
      return lines;
    },
  };
  return journal;
}

export interface EmbeddedStreams {
  readonly clock: FakeClock;
  readonly journal: TestedJournal;
  readonly log: readonly string[];
  /** The plane that is open now. */
  readonly plane: StreamPlane;
  /** Closes in good order and opens anew over the same journal. */
  restart(): Promise<void>;
  /** Opens anew over the same journal as if the process had been killed. */
  crash(): Promise<void>;
}

/** Streams over a journal in memory, under a fake clock. */
export async function openEmbeddedStreams(): Promise<EmbeddedStreams> {
  const clock = createFakeClock();
  const journal = createTestedJournal();
  const log: string[] = [];
  const logger = createLineLogger(log, () => clock.now());
  const randomness = createSeededRandomness(7);
  const open = (): Promise<StreamPlane> => createStreamPlane({ journal, clock, randomness, logger });
  let plane = await open();
  return {
    clock,
    journal,
    log,
    get plane() {
      return plane;
    },
    async restart() {
      await plane.close();
      plane = await open();
    },
    async crash() {
      // What the dead one still tries to write goes nowhere, and its timers end.
      const kept = plane;
      plane = await open();
      await kept.close();
    },
  };
}

/** Subjects of the stream of {@link streamSpec}. */
export const [taskA, taskB] = ['vak.work.ws.a.task', 'vak.work.ws.b.task'] as const;

/** A stream over tasks, unless told otherwise. */
export function streamSpec(more: Partial<StreamSpec> = {}): StreamSpec {
  return {
    ...{ name: 'S', subjects: ['vak.work.ws.*.task'], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 600_000 },
    ...more,
  };
}

/** Opens streams of which one is made, by `streamSpec`. */
export async function openStream(more: Partial<StreamSpec> = {}) {
  const streams = await openEmbeddedStreams();
  const spec = streamSpec(more);
  await streams.plane.ensureStream(spec);
  const stream = (): Stream => streams.plane.stream(spec.name);
  return {
    ...{ streams, spec, stream },
    append: (subject: string, text: string, options: AppendOptions = {}) =>
      streams.plane.append(subject, utf8(text), options),
    /** All that it holds, `seq:text`. */
    async texts(): Promise<string[]> {
      const { messages } = await stream().read({ limit: 1000 });
      return messages.map(({ seq, data }) => `${seq}:${toText(data)}`);
    },
  };
}

/** A consumer of all tasks, unless told otherwise. */
export function consumerSpec(more: Partial<ConsumerSpec> = {}): ConsumerSpec {
  return {
    ...{ name: 'c', filter: 'vak.work.ws.*.task', ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 100, start: 'all' },
    ...more,
  };
}

/** Makes a stream and a consumer of it. */
export async function makeConsumer(
  plane: Pick<DurablePlane, 'ensureStream' | 'stream'>,
  stream: Partial<StreamSpec> = {},
  consumer: Partial<ConsumerSpec> = {},
): Promise<{ readonly stream: Stream; readonly consumer: Consumer }> {
  const spec = streamSpec(stream);
  await plane.ensureStream(spec);
  const handle = plane.stream(spec.name);
  return { stream: handle, consumer: await handle.ensureConsumer(consumerSpec(consumer)) };
}

/** Lets commits in memory and what waits for them run, without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
