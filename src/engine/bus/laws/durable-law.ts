/**
 * What the laws of the durable plane are written with: an engine under test, specs, and ways to let time pass.
 * Law: nothing here knows which engine it runs against; time passes only through the engine's own `advance`.
 */
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import type { ErrorCode } from '../../../shared/base/vak-error.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { Consumer, ConsumerSpec, Delivery, DurablePlane, StoredMessage, Stream } from '../durable.ts';

/** A durable plane under test, its time and its end. */
export interface DurableUnderTest {
  readonly durable: DurablePlane;
  /** Lets time pass: moves a fake clock and lets follow what follows, or really waits. */
  advance(ms: number): Promise<void>;
  /** Ends the plane as `Fabric.close` does. */
  close(): Promise<void>;
}

/** One that can be ended and opened again on what it has stored. */
export interface RestartableDurable extends DurableUnderTest {
  /** Ends the engine (and its server) and gives the plane of a new one on the same store. The old one is of no more use. */
  reopen(): Promise<DurablePlane>;
}

/** What a law runs on. `workspace` is a token of its own for each law, so that laws can share a server. */
export interface LawContext<Tested extends DurableUnderTest = DurableUnderTest> {
  readonly durable: DurablePlane;
  readonly tested: Tested;
  readonly workspace: string;
}

/** Defines one law; its name begins with its rule's id. */
export type DefineDurableLaw = (name: string, run: (context: LawContext) => Promise<void>) => void;

/** Long enough that it never counts in a law. */
const longMs = 30_000;
const stepMs = 50;
const maxSteps = 200;

export function hasCode(code: ErrorCode): (thrown: unknown) => boolean {
  return (thrown) => isVakError(thrown, code);
}

/** A subject of the stream of {@link roomsSpec}. */
export const roomLog = (workspace: string, room: string): string => `vak.rooms.${workspace}.${room}.log`;

/** A stream that keeps everything, on the subjects of rooms. */
export function roomsSpec(workspace: string, more: Partial<StreamSpec> = {}): StreamSpec {
  return {
    name: `VAK_ROOMS_${workspace}`,
    subjects: [`vak.rooms.${workspace}.*.log`, `vak.rooms.${workspace}.*.messages`],
    retention: 'limits',
    maxAgeMs: null,
    maxBytes: null,
    whenFull: 'refuse-new',
    dedupeWindowMs: 120_000,
    ...more,
  };
}

/** A consumer of everything of the stream of {@link roomsSpec}, with bounds that no law meets by accident. */
export function consumerSpec(workspace: string, more: Partial<ConsumerSpec> = {}): ConsumerSpec {
  return {
    name: 'c',
    filter: `vak.rooms.${workspace}.>`,
    ackWaitMs: longMs,
    maxDeliver: 5,
    maxInFlight: 100,
    start: 'all',
    ...more,
  };
}

/** Makes the stream of {@link roomsSpec}. */
export async function makeStream({ durable, workspace }: LawContext, more: Partial<StreamSpec> = {}): Promise<Stream> {
  const spec = roomsSpec(workspace, more);
  await durable.ensureStream(spec);
  return durable.stream(spec.name);
}

/** Makes that stream and a consumer of it. */
export async function makeConsumer(
  context: LawContext,
  more: Partial<ConsumerSpec> = {},
  stream: Partial<StreamSpec> = {},
): Promise<{ readonly stream: Stream; readonly consumer: Consumer }> {
  const made = await makeStream(context, stream);
  return { stream: made, consumer: await made.ensureConsumer(consumerSpec(context.workspace, more)) };
}

/** Appends a text to each of some rooms' logs, one after the other; gives the seqs. */
export async function appendTexts(
  { durable, workspace }: LawContext,
  texts: readonly string[],
  room = 'r',
): Promise<number[]> {
  const seqs: number[] = [];
  for (const text of texts) seqs.push((await durable.append(roomLog(workspace, room), utf8(text))).seq);
  return seqs;
}

export const textsOf = (messages: readonly StoredMessage[]): string[] => messages.map(({ data }) => toText(data));
export const textsIn = (deliveries: readonly Delivery[]): string[] => textsOf(deliveries.map(({ message }) => message));

/** What is there to be pulled now. */
export const pullNow = (consumer: Consumer, batch = 100): Promise<readonly Delivery[]> =>
  consumer.pull({ batch, waitMs: 0 });

/** Lets time pass until the promise has settled; at most 10 s. */
export async function whilePassing<T>({ tested }: LawContext, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let step = 0; step < maxSteps && !isSettled; step++) await tested.advance(stepMs);
  return promise;
}

/** Lets time pass until something is so; at most 10 s. */
export async function eventually({ tested }: LawContext, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let step = 0; step < maxSteps; step++) {
    if (await isSo()) return true;
    await tested.advance(stepMs);
  }
  return false;
}

/** A promise that is settled from outside. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
