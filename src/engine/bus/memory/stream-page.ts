/**
 * A page of a stream (protocol.md B3).
 * Law: what a page holds is bounded by number and by bytes, and the next one begins where it ended.
 */
import type { ReadOptions, StreamPage } from '../durable.ts';
import { createSubjectMatch } from './message-index.ts';
import type { StreamLog } from './stream-log.ts';

/** After so many bytes a page, or a pull's batch, takes no further message. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Reads a page; the options were checked. Throws `corrupt`. */
export async function readStreamPage(log: StreamLog, options: ReadOptions): Promise<StreamPage> {
  const { fromSeq = 1, fromMs, subject, limit } = options;
  const { index } = log;
  const match = createSubjectMatch(subject);
  const find = (seq: number): number | undefined => {
    const next = index.next(seq, match);
    return next !== undefined && next <= log.visibleSeq() ? next : undefined;
  };
  const firstInTime = fromMs === undefined ? 1 : (index.firstStoredFrom(fromMs) ?? Number.POSITIVE_INFINITY);
  const seqs: number[] = [];
  let bytes = 0;
  let next = find(Math.max(fromSeq, firstInTime));
  while (next !== undefined && seqs.length < limit && bytes < maxPageBytes) {
    seqs.push(next);
    bytes += index.get(next)?.sizeBytes ?? 0;
    next = find(next + 1);
  }
  const messages = await Promise.all(seqs.map((seq) => log.load(seq)));
  return { messages: messages.filter((message) => message !== undefined), nextSeq: next };
}
