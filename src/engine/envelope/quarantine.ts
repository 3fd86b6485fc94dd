/**
 * Messages that broke the workspace's policy (protocol.md E8): kept to be looked at, not handled.
 * Law: bounded by count and by bytes, the oldest give way; every refusal that stands is counted by its reason.
 */
import type { QuarantinedMessage, QuarantineState } from '../../shared/contract/streams-contract.ts';
import { type Refusal, type RefusalReason, refusalReasons } from '../../shared/contract/trust-report.ts';
import type { HeldMessage } from '../feeds/message-buffer.ts';

/** Most messages that are kept. */
const maxMessages = 256;
/** Most bytes that are kept; the newest message is kept however large. */
const maxBytes = 8 * 1024 * 1024;

export interface Quarantine {
  /** Takes a message in; call it once a message. */
  add(held: HeldMessage, refusal: Refusal): void;
  /** A message that was taken in was judged anew: it is refused for something else now, or not any more and leaves. */
  change(held: HeldMessage, before: Refusal, now: Refusal | undefined): void;
  /** A message that is kept, by its place in the engine's buffer. */
  get(seq: number): HeldMessage | undefined;
  state(): QuarantineState;
}

interface Entry {
  readonly held: HeldMessage;
  readonly refusal: Refusal;
}

function summaryOf({ held, refusal }: Entry): QuarantinedMessage {
  const { seq, atMs, subject, data } = held;
  return { seq, atMs, subject, sizeBytes: data.length, ...refusal };
}

/** Creates an empty quarantine. `onChange` is called at each refusal; the caller bounds its rate. */
export function createQuarantine({ onChange }: { readonly onChange: () => void }): Quarantine {
  const entries = new Map<number, Entry>();
  const countByReason = Object.fromEntries(refusalReasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >;
  let refusedCount = 0;
  let keptBytes = 0;

  function trim(): void {
    for (const [seq, { held }] of entries) {
      if (entries.size <= maxMessages && (keptBytes <= maxBytes || entries.size === 1)) return;
      entries.delete(seq);
      keptBytes -= held.data.length;
    }
  }

  function count(refusal: Refusal | undefined, step: 1 | -1): void {
    if (refusal === undefined) return;
    refusedCount += step;
    countByReason[refusal.reason] += step;
  }

  return {
    add(held, refusal) {
      count(refusal, 1);
      entries.set(held.seq, { held, refusal });
      keptBytes += held.data.length;
      trim();
      onChange();
    },
    change(held, before, now) {
      count(before, -1);
      count(now, 1);
      const isKept = entries.has(held.seq);
      // In its place: it is no newer than it was.
      if (isKept && now !== undefined) entries.set(held.seq, { held, refusal: now });
      else if (isKept) {
        entries.delete(held.seq);
        keptBytes -= held.data.length;
      }
      onChange();
    },
    get: (seq) => entries.get(seq)?.held,
    state: () => ({
      refusedCount,
      countByReason: { ...countByReason },
      recent: Array.from(entries.values(), summaryOf).reverse(),
      capacity: maxMessages,
    }),
  };
}
