/**
 * What a peer's calls that go on in parts do on main's durable plane (protocol.md B5): watches, and objects both ways.
 * Law: nothing is sent without the peer's credit, nothing is taken that main did not ask for; an abort ends every wait.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DurablePlane, ObjectInfo } from '../durable.ts';
import { alone } from './channel-frames.ts';
import type { CallOf, DurableCall } from './durable-calls.ts';
import { maxPartBytes, type PlaneHostFrame, partWindow } from './durable-frames.ts';
import { createPartQueue, type PartQueue } from './part-queue.ts';
import { createWatchFeed } from './watch-feed.ts';

export type FlowMethod = 'value-watch' | 'object-get' | 'object-put';
export type FlowCall = Extract<DurableCall, { method: FlowMethod }>;

/** What the peer says of a flow while it lasts. */
export interface FlowInput {
  next(): void;
  part(data: Uint8Array): void;
  end(): void;
}

export interface FlowScope {
  readonly plane: DurablePlane;
  readonly clock: Clock;
  readonly id: number;
  readonly signal: AbortSignal;
  readonly post: (frame: PlaneHostFrame) => void;
}

/** A flow that runs. */
export interface RunningFlow {
  readonly input: FlowInput;
  readonly answer: Promise<ObjectInfo | undefined>;
}

const deaf: FlowInput = { next() {}, part() {}, end() {} };

/** A queue that an abort ends. */
function createAbortedQueue<T>(signal: AbortSignal): PartQueue<T> {
  const queue = createPartQueue<T>();
  const abort = (): void => queue.fail(new VakError('aborted', 'cancelled'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return queue;
}

async function* untilEnd(parts: PartQueue<Uint8Array>, onTaken: () => void): AsyncGenerator<Uint8Array, void> {
  for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
    yield part;
    onTaken();
  }
}

function runWatch({ bucket }: CallOf<'value-watch'>, { plane, clock, id, signal, post }: FlowScope): RunningFlow {
  const ended = createAbortedQueue<never>(signal);
  const feed = createWatchFeed({
    ...{ bucket: plane.keyValue(bucket), clock, onBug: ended.fail },
    send: (changes, isReady) => post({ kind: 'durable-changes', id, changes, isReady }),
  });
  const answer = ended.next().finally(() => feed.dispose());
  return { input: { ...deaf, next: () => feed.next() }, answer };
}

async function sendObject(
  { bucket, name }: CallOf<'object-get'>,
  { plane, id, signal, post }: FlowScope,
  credits: PartQueue<true>,
): Promise<undefined> {
  for await (const part of plane.objects(bucket).get(name, { signal })) {
    await credits.next();
    post({ kind: 'durable-part', id, data: alone(part) });
  }
}

function runGet(call: CallOf<'object-get'>, scope: FlowScope): RunningFlow {
  const credits = createAbortedQueue<true>(scope.signal);
  const next = (): void => {
    if (credits.size < partWindow) credits.push(true);
  };
  for (let count = 0; count < partWindow; count++) next();
  return { input: { ...deaf, next }, answer: sendObject(call, scope, credits) };
}

function runPut({ bucket, name }: CallOf<'object-put'>, { plane, id, signal, post }: FlowScope): RunningFlow {
  const parts = createAbortedQueue<Uint8Array>(signal);
  let asked = partWindow;
  function taken(): void {
    asked++;
    post({ kind: 'durable-next', id });
  }
  function part(data: Uint8Array): void {
    // A hole in an object is worse than none of it.
    if (asked === 0 || data.length > maxPartBytes) {
      parts.fail(new VakError('invalid-input', 'part: too large, or not asked for', { details: { field: 'part' } }));
      return;
    }
    asked--;
    parts.push(alone(data));
  }
  const answer = plane.objects(bucket).put(name, untilEnd(parts, taken), { signal });
  return { input: { ...deaf, part, end: () => parts.end() }, answer };
}

/** Begins a flow. Throws what the plane throws, at once or by `answer`. */
export function runFlow(call: FlowCall, scope: FlowScope): RunningFlow {
  switch (call.method) {
    case 'value-watch':
      return runWatch(call, scope);
    case 'object-get':
      return runGet(call, scope);
    case 'object-put':
      return runPut(call, scope);
  }
}

/** Whether a call goes on in parts. */
export function isFlow(call: DurableCall): call is FlowCall {
  return call.method === 'value-watch' || call.method === 'object-get' || call.method === 'object-put';
}
