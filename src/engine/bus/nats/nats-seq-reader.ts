/**
 * Reads a stream by number, without any consumer (protocol.md W3, W9).
 * Law: a work queue takes no second consumer, and in a stream of interest a reader would count as somebody who wants the messages.
 */
import type { StoredMessage } from '../durable.ts';
import { type ApiCall, isApiError, type JetStreamApi, numberIn, recordIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { type RawStored, storedInAnswer, storedInDirect } from './nats-stored-message.ts';

export interface SeqReadRequest {
  readonly stream: string;
  readonly filter: string;
  readonly fromSeq: number;
  readonly limit: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Most questions under way; fewer while they hit the same message, because what is sought is sparse. */
const maxWidth = 64;

/** One message: by number, the first of a filter from a number on, or the newest of a subject. Undefined: there is none. */
export async function getStored(
  api: JetStreamApi,
  stream: string,
  body: Readonly<Record<string, unknown>> & { readonly signal?: AbortSignal | undefined },
): Promise<RawStored | undefined> {
  const { signal, ...query } = body;
  const call: ApiCall = { verb: `STREAM.MSG.GET.${stream}`, body: query, where: `stream ${stream}`, signal };
  const answer = await api.tryCall(call, [apiCodes.messageNotFound]);
  return isApiError(answer) ? undefined : storedInAnswer(answer, stream);
}

const isOneSubject = (subject: string): boolean => !/(?:^|\.)[*>](?:\.|$)/.test(subject);

/** The newest message of a subject as the server knows it. Throws `not-found` (no such stream). */
export async function newestStored(api: JetStreamApi, stream: string, subject: string): Promise<RawStored | undefined> {
  const answer = isOneSubject(subject) ? await api.newest({ stream, subject }) : 'barred';
  if (answer === 'none') return undefined;
  // A stream that others made need not allow the direct way.
  if (answer === 'barred') return getStored(api, stream, { last_by_subj: subject });
  return storedInDirect(answer, stream);
}

/** Messages from a number on, in order, one more than the limit if there are so many. */
export async function readBySeq(api: JetStreamApi, request: SeqReadRequest): Promise<readonly StoredMessage[]> {
  const { stream, filter, limit, maxBytes, signal } = request;
  const found: StoredMessage[] = [];
  let next = Math.max(1, request.fromSeq);
  let bytes = 0;
  let width = 1;
  let hasEnded = false;
  while (!hasEnded && found.length <= limit && bytes < maxBytes) {
    const answers = await Promise.all(
      Array.from({ length: width }, (_, index) =>
        getStored(api, stream, { seq: next + index, next_by_subj: filter, signal }),
      ),
    );
    const before = found.length;
    for (const answer of answers) {
      if (answer === undefined) hasEnded = true;
      else if (answer.stored.seq >= next) {
        found.push(answer.stored);
        bytes += answer.stored.data.length;
        next = answer.stored.seq + 1;
      }
    }
    width = (found.length - before) * 2 > width ? Math.min(maxWidth, width * 2) : Math.max(1, width >> 1);
  }
  return found.slice(0, limit + 1);
}

/**
 * The newest message of a subject. nats-server 2.9 knows it no more once the very newest was deleted, though older ones are there: then
 * it is searched by halves. `isIndexed`: the server knows it itself.
 */
export async function lastOf(
  api: JetStreamApi,
  stream: string,
  subject: string,
): Promise<(RawStored & { readonly isIndexed: boolean }) | undefined> {
  const indexed = await newestStored(api, stream, subject);
  if (indexed !== undefined) return { ...indexed, isIndexed: true };
  const where = `stream ${stream}`;
  const state = recordIn(await api.call({ verb: `STREAM.INFO.${stream}`, where }), 'state', where);
  // Where nothing was deleted the server has not forgotten anything: who may read some subjects only need not search all.
  if (numberIn(state, 'num_deleted') === 0) return undefined;
  let newest = await getStored(api, stream, { seq: 1, next_by_subj: subject });
  if (newest === undefined) return undefined;
  let high = numberIn(state, 'last_seq') + 1;
  while (newest.stored.seq + 1 < high) {
    const middle: number = Math.floor((newest.stored.seq + 1 + high) / 2);
    const next: RawStored | undefined = await getStored(api, stream, { seq: middle, next_by_subj: subject });
    if (next === undefined) high = middle;
    else newest = next;
  }
  return { ...newest, isIndexed: false };
}

/** The number of the first message that was stored at a time or later; `lastSeq + 1` if there is none. */
export async function seqAtTime(api: JetStreamApi, stream: string, fromMs: number): Promise<number> {
  const where = `stream ${stream}`;
  const info = await api.call({ verb: `STREAM.INFO.${stream}`, where });
  const state = recordIn(info, 'state', where);
  let low = Math.max(1, numberIn(state, 'first_seq'));
  let high = numberIn(state, 'last_seq') + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await getStored(api, stream, { seq: middle, next_by_subj: '>' });
    if (at === undefined || at.stored.storedMs >= fromMs) high = middle;
    else low = at.stored.seq + 1;
  }
  return low;
}
