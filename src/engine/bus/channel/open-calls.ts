/**
 * The calls of one peer that are open, at main's end of its channel.
 * Law: an id is used once; a call counts until the peer has taken its answer, so answers that nobody reads are bounded, too.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { type CallClass, callWeight, classOf, type DurableCall } from './durable-calls.ts';
import { maxOpenBytes, maxOpenCalls, maxOpenFlows, maxOpenPulls } from './durable-frames.ts';
import type { FlowInput } from './plane-flows.ts';

/** Reads that run, or whose answer is not taken, at the same time; each can bring a page of 5 MiB, or a key's history. */
const maxReadsAtOnce = 4;

export interface OpenCall {
  readonly id: number;
  readonly signal: AbortSignal;
  /** When it may begin; undefined: at once. */
  readonly turn: Promise<void> | undefined;
  isAnswered: boolean;
  /** Of a flow. */
  input: FlowInput | undefined;
}

export interface OpenCalls {
  /** `call` undefined: one that could not be read. Throws `invalid-input` for a used id, `limit-exceeded`. */
  open(id: number, call: DurableCall | undefined): OpenCall;
  /** Harmless for a call that is over. */
  abort(id: number): void;
  /** Closes a call that was answered. */
  taken(id: number): void;
  inputOf(id: number): FlowInput | undefined;
  abortAll(): void;
}

interface Entry extends OpenCall {
  readonly class: CallClass;
  readonly weight: number;
  readonly controller: AbortController;
}

const limits: Readonly<Record<CallClass, number>> = {
  ...{ call: maxOpenCalls, read: maxOpenCalls, pull: maxOpenPulls, flow: maxOpenFlows },
};

/** Lets so many in at once; the others wait in their order. */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    enter(): Promise<void> | undefined {
      if (inside >= most) return new Promise((resolve) => waiting.push(resolve));
      inside++;
      return undefined;
    },
    leave(): void {
      const next = waiting.shift();
      if (next === undefined) inside--;
      else next();
    },
  };
}

/** Nothing is open. */
export function createOpenCalls(): OpenCalls {
  const open = new Map<number, Entry>();
  const counts: Record<CallClass, number> = { call: 0, read: 0, pull: 0, flow: 0 };
  const turns = createTurns(maxReadsAtOnce);
  let bytes = 0;
  let lastId = -1;

  function checkRoom(kind: CallClass, weight: number): void {
    const count = kind === 'call' || kind === 'read' ? counts.call + counts.read : counts[kind];
    if (count >= limits[kind]) throw new VakError('limit-exceeded', `call: ${limits[kind]} are open already`);
    if (bytes > 0 && bytes + weight > maxOpenBytes) {
      throw new VakError('limit-exceeded', `call: ${bytes} bytes are open already, at most ${maxOpenBytes} may be`);
    }
  }

  return {
    open(id, call) {
      if (id <= lastId) throw new VakError('invalid-input', `call: id ${id} was used; ids only rise`);
      lastId = id;
      const kind = call === undefined ? 'call' : classOf(call);
      const weight = kind === 'call' && call !== undefined ? callWeight(call) : 0;
      checkRoom(kind, weight);
      const controller = new AbortController();
      const entry: Entry = {
        ...{ id, class: kind, weight, controller, signal: controller.signal, isAnswered: false, input: undefined },
        turn: kind === 'read' ? turns.enter() : undefined,
      };
      open.set(id, entry);
      counts[kind]++;
      bytes += weight;
      return entry;
    },
    abort(id) {
      open.get(id)?.controller.abort();
    },
    taken(id) {
      const entry = open.get(id);
      if (entry?.isAnswered !== true) return;
      open.delete(id);
      counts[entry.class]--;
      bytes -= entry.weight;
      if (entry.class === 'read') turns.leave();
    },
    inputOf: (id) => open.get(id)?.input,
    abortAll() {
      for (const { controller } of open.values()) controller.abort();
      open.clear();
    },
  };
}
