/**
 * Messages that broke the workspace's policy (protocol.md E8): kept to be looked at, never handled.
 * Law: bounded by count and by bytes, the oldest give way; every refusal is counted by its reason.
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

  return {
    add(held, refusal) {
      refusedCount++;
      countByReason[refusal.reason]++;
      entries.set(held.seq, { held, refusal });
      keptBytes += held.data.length;
      trim();
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
