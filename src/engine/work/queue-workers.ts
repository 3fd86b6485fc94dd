/**
 * Who works on a queue, from the receipts that count (protocol.md W6).
 * Law: each receipt counts once, for the worker that signed it; of each queue so many workers are remembered, those heard last.
 */
import type { QueueWorker } from '../../shared/contract/queues-contract.ts';
import type { TaskRecord } from './task-book.ts';

export interface QueueWorkers {
  /** What a book tells of each task. */
  note(record: Pick<TaskRecord, 'leaf' | 'queue' | 'receipts'>): void;
  /** Heard last first. */
  of(queue: string): readonly QueueWorker[];
}

const maxWorkers = 64;
const maxQueues = 1_000;

interface Tally {
  doneCount: number;
  failedCount: number;
  lastMs: number;
}

type Receipts = TaskRecord['receipts'];

const isHeard = ({ doneCount, failedCount }: Tally): boolean => doneCount + failedCount > 0;

/** Creates it with nobody. */
export function createQueueWorkers(): QueueWorkers {
  const queues = new Map<string, Map<string, Tally>>();
  /** The receipts of a record that were counted; it goes with its record. */
  const counted = new WeakMap<object, { readonly queue: string; readonly receipts: Receipts }>();

  function talliesOf(queue: string): Map<string, Tally> {
    const known = queues.get(queue);
    if (known !== undefined) return known;
    const oldest = queues.keys().next();
    if (queues.size >= maxQueues && !oldest.done) queues.delete(oldest.value);
    const made = new Map<string, Tally>();
    queues.set(queue, made);
    return made;
  }

  function makeRoom(tallies: Map<string, Tally>): void {
    if (tallies.size < maxWorkers) return;
    const [silent] = [...tallies].sort(([, a], [, b]) => a.lastMs - b.lastMs);
    if (silent !== undefined) tallies.delete(silent[0]);
  }

  function tallyOf(queue: string, peer: string): Tally {
    const tallies = talliesOf(queue);
    const known = tallies.get(peer);
    if (known !== undefined) return known;
    makeRoom(tallies);
    const made = { doneCount: 0, failedCount: 0, lastMs: 0 };
    tallies.set(peer, made);
    return made;
  }

  function count({ workerId, outcome, storedMs }: Receipts[number], queue: string): void {
    const tally = tallyOf(queue, workerId);
    if (outcome === 'done') tally.doneCount++;
    else tally.failedCount++;
    tally.lastMs = Math.max(tally.lastMs, storedMs);
  }

  function takeBack({ workerId, outcome }: Receipts[number], queue: string): void {
    const tally = queues.get(queue)?.get(workerId);
    if (tally === undefined) return;
    if (outcome === 'done') tally.doneCount--;
    else tally.failedCount--;
  }

  return {
    note(record) {
      const { queue, receipts } = record;
      const before = counted.get(record);
      counted.set(record, { queue, receipts });
      // As another queue's it was counted there.
      const isSame = before?.queue === queue;
      for (const one of before?.receipts ?? []) {
        if (!(isSame && receipts.includes(one))) takeBack(one, before?.queue ?? queue);
      }
      const former = isSame ? before.receipts : [];
      for (const one of receipts) if (!former.includes(one)) count(one, queue);
    },
    of(queue) {
      const all = Array.from(queues.get(queue) ?? [], ([peer, tally]) => ({ peer, ...tally }));
      return all.filter(isHeard).sort((a, b) => b.lastMs - a.lastMs);
    },
  };
}
