/**
 * A peer's calls on main's durable plane, over its channel (protocol.md B3–B5).
 * Law: calls go out in the order in which they were made, within what main takes; each ends once, by main's word or with the channel.
 */
import { createDisposer } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Logger } from '../../ports/logger.ts';
import { alone } from './channel-frames.ts';
import type { ChannelPort } from './channel-port.ts';
import { type CallClass, callWeight, classOf, type DurableCall, type DurableResults } from './durable-calls.ts';
import {
  maxOpenBytes,
  maxOpenCalls,
  maxOpenFlows,
  maxOpenPulls,
  type PlaneHostFrame,
  type PlanePeerFrame,
  readPlaneHostFrame,
} from './durable-frames.ts';

/** Most calls that wait until main takes more, and what they may weigh. */
const maxWaitingCalls = 4_096;
const maxWaitingBytes = 64 * 1024 * 1024;

/** What of a flow comes before its answer. */
export type FlowFrame = Exclude<PlaneHostFrame, { kind: 'durable-reply' | 'durable-error' }>;

export interface AskOptions {
  /** Told to main; the call then ends by main's word, so that it is known what became of it. */
  readonly signal?: AbortSignal | undefined;
  /** Of a flow: what comes before the answer. May not throw. */
  readonly onFrame?: (frame: FlowFrame) => void;
}

/** A call that goes on in parts. */
export interface Flow<Result> {
  readonly answer: Promise<Result>;
  /** One more part, or batch, may come. */
  next(): void;
  /** Puts a part; only when main has asked for it. */
  part(data: Uint8Array): void;
  /** There are no more parts. */
  end(): void;
  /** Gives it up; harmless when it is over. */
  abort(): void;
}

export interface ChannelCalls {
  /** Throws what main throws, `aborted`, `closed`, `limit-exceeded` (too much waits). */
  ask<Call extends DurableCall>(call: Call, options?: AskOptions): Promise<DurableResults[Call['method']]>;
  /** As `ask`. Throws `closed`, `limit-exceeded` (too many flows). */
  open<Call extends DurableCall>(call: Call, options: AskOptions): Flow<DurableResults[Call['method']]>;
  /** Throws `closed`. */
  checkOpen(doing: string): void;
  /** Everything that is open ends with `closed`. */
  close(): void;
}

interface Entry {
  call: DurableCall;
  readonly class: CallClass;
  readonly weight: number;
  readonly onFrame: (frame: FlowFrame) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: VakError) => void;
  /** Undefined while it waits. */
  id: number | undefined;
}

const closed = (doing: string): VakError => new VakError('closed', `${doing}: the channel to the fabric is closed`);

function tooMany(doing: string, most: number): VakError {
  return new VakError('limit-exceeded', `${doing}: ${most} are under way already; wait for those`, {
    retryable: true,
    details: { limit: most },
  });
}

/** The call with its data in memory of its own. */
function withOwnData(call: DurableCall, copy: (data: Uint8Array) => Uint8Array): DurableCall {
  return 'data' in call ? { ...call, data: copy(call.data) } : call;
}

/** What is open, by class, and what waits until less is. */
function createOutgoing(send: (entry: Entry) => void) {
  const waiting = new Set<Entry>();
  const open: Record<CallClass, number> = { call: 0, read: 0, pull: 0, flow: 0 };
  let openBytes = 0;
  let waitingBytes = 0;

  const isBounded = ({ class: kind }: Entry): boolean => kind === 'call' || kind === 'read';
  const isRoomFor = ({ weight }: Entry): boolean =>
    open.call + open.read < maxOpenCalls && (openBytes === 0 || openBytes + weight <= maxOpenBytes);

  function begin(entry: Entry): void {
    open[entry.class]++;
    if (isBounded(entry)) openBytes += entry.weight;
    send(entry);
  }

  function wait(entry: Entry): void {
    if (waiting.size >= maxWaitingCalls) throw tooMany(entry.call.method, maxWaitingCalls);
    if (waitingBytes + entry.weight > maxWaitingBytes) throw tooMany(`${entry.call.method}: bytes`, maxWaitingBytes);
    // A copy: the caller may go on using its array.
    entry.call = withOwnData(entry.call, (data) => data.slice());
    waitingBytes += entry.weight;
    waiting.add(entry);
  }

  function remove(entry: Entry): boolean {
    if (!waiting.delete(entry)) return false;
    waitingBytes -= entry.weight;
    return true;
  }

  return {
    add(entry: Entry): void {
      const { class: kind, call } = entry;
      if (kind === 'pull' && open.pull >= maxOpenPulls) throw tooMany(call.method, maxOpenPulls);
      if (kind === 'flow' && open.flow >= maxOpenFlows) throw tooMany(call.method, maxOpenFlows);
      if (isBounded(entry) && (waiting.size > 0 || !isRoomFor(entry))) wait(entry);
      else begin(entry);
    },
    remove,
    ended(entry: Entry): void {
      open[entry.class]--;
      if (isBounded(entry)) openBytes -= entry.weight;
      for (const next of waiting) {
        if (!isRoomFor(next)) return;
        remove(next);
        begin(next);
      }
    },
    clear(): readonly Entry[] {
      const left = [...waiting];
      waiting.clear();
      return left;
    },
  };
}

/** Creates the peer's end; it closes by itself when the other side has gone. */
export function createChannelCalls({ port, logger }: { readonly port: ChannelPort; readonly logger: Logger }) {
  const held = createDisposer();
  const open = new Map<number, Entry>();
  const post = (frame: PlanePeerFrame): void => port.post(frame);
  const outgoing = createOutgoing(send);
  let nextId = 1;
  let isClosed = false;

  function send(entry: Entry): void {
    entry.id = nextId++;
    open.set(entry.id, entry);
    post({ kind: 'durable-call', id: entry.id, call: withOwnData(entry.call, alone) });
  }

  function checkOpen(doing: string): void {
    if (isClosed) throw closed(doing);
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    held.dispose();
    const left = [...open.values(), ...outgoing.clear()];
    open.clear();
    for (const entry of left) entry.reject(closed(entry.call.method));
  }

  function onAnswer(frame: Extract<PlaneHostFrame, { kind: 'durable-reply' | 'durable-error' }>): void {
    const entry = open.get(frame.id);
    if (entry === undefined) return;
    open.delete(frame.id);
    post({ kind: 'durable-taken', id: frame.id });
    outgoing.ended(entry);
    if (frame.kind === 'durable-reply') entry.resolve(frame.value);
    else entry.reject(VakError.fromShape(frame.error));
  }

  function onFrame(frame: PlaneHostFrame): void {
    if (frame.kind === 'durable-reply' || frame.kind === 'durable-error') onAnswer(frame);
    else open.get(frame.id)?.onFrame(frame);
  }

  /** Tells main that nobody wants the answer any more; what still waits here ends at once. */
  function giveUp(entry: Entry): void {
    if (outgoing.remove(entry)) entry.reject(new VakError('aborted', `${entry.call.method}: cancelled`));
    else if (entry.id !== undefined && open.has(entry.id)) post({ kind: 'durable-abort', id: entry.id });
  }

  /** Throws `closed`, `limit-exceeded`, `aborted`. */
  function begin(call: DurableCall, { signal, onFrame: onFlow = () => {} }: AskOptions) {
    checkOpen(call.method);
    if (signal?.aborted === true) throw new VakError('aborted', `${call.method}: cancelled`);
    let settle: Pick<Entry, 'resolve' | 'reject'> | undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // The executor has run.
    const { resolve, reject } = settle as unknown as Pick<Entry, 'resolve' | 'reject'>;
    const abort = (): void => giveUp(entry);
    const over = (): void => signal?.removeEventListener('abort', abort);
    const entry: Entry = {
      ...{ call, class: classOf(call), weight: callWeight(call), onFrame: onFlow, id: undefined },
      resolve(value) {
        over();
        resolve(value);
      },
      reject(error) {
        over();
        reject(error);
      },
    };
    outgoing.add(entry);
    signal?.addEventListener('abort', abort, { once: true });
    return { entry, answer, abort };
  }

  held.add(
    port.onMessage((value) => {
      const reading = readPlaneHostFrame(value);
      if (typeof reading === 'object') onFrame(reading.frame);
      else if (reading === 'malformed') logger.warn('channel.malformed-frame', { side: 'peer' });
    }),
  );
  held.add(port.onClose(close));

  const calls: ChannelCalls = {
    async ask<Call extends DurableCall>(call: Call, options: AskOptions = {}) {
      return (await begin(call, options).answer) as DurableResults[Call['method']];
    },
    open<Call extends DurableCall>(call: Call, options: AskOptions) {
      const { entry, answer, abort } = begin(call, options);
      const tell = (kind: 'durable-next' | 'durable-end'): void => {
        if (entry.id !== undefined && open.has(entry.id)) post({ kind, id: entry.id });
      };
      return {
        answer: answer as Promise<DurableResults[Call['method']]>,
        next: () => tell('durable-next'),
        part(data) {
          if (entry.id !== undefined && open.has(entry.id)) post({ kind: 'durable-part', id: entry.id, data });
        },
        end: () => tell('durable-end'),
        abort,
      };
    },
    checkOpen,
    close,
  };
  return calls;
}
