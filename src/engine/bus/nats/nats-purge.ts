/**
 * Purging a subject beside consumers (protocol.md B3, B4).
 * Law: a purge takes what it names and nothing else. nats-server 2.9 moves a consumer whose filter is wider than what is purged behind
 * everything, so that it misses what is left; then the messages are deleted one by one instead.
 */
import { covers, overlaps } from '../../../shared/protocol/subject.ts';
import { isApiError, type JetStreamApi, listAll, numberIn, recordIn, textIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { readBySeq } from './nats-seq-reader.ts';

const pageLimit = 256;
const maxBytes = 4 * 1024 * 1024;

/** Whether some consumer would miss messages that a purge of the subject leaves. Throws `not-found` (no such stream). */
export async function isPurgeUnsafe(api: JetStreamApi, stream: string, subject: string): Promise<boolean> {
  const where = `stream ${stream}`;
  const all = await listAll(api, { verb: `CONSUMER.LIST.${stream}`, where }, 'consumers');
  return all.some((one) => {
    const filter = textIn(recordIn(one, 'config', where), 'filter_subject') || '>';
    return overlaps(filter, subject) && !covers(subject, filter);
  });
}

/** The stream's last place now, or the one that is given if that is less. */
export async function lastPlace(api: JetStreamApi, stream: string, upToSeq: number): Promise<number> {
  const where = `stream ${stream}`;
  const info = await api.call({ verb: `STREAM.INFO.${stream}`, where });
  return Math.min(upToSeq, numberIn(recordIn(info, 'state', where), 'last_seq'));
}

/** Deletes the messages of a subject up to a place that are there when it is called; gives how many. */
export async function deleteAll(
  api: JetStreamApi,
  stream: string,
  { subject, upToSeq }: { readonly subject: string; readonly upToSeq: number },
): Promise<number> {
  const where = `stream ${stream}`;
  const lastSeq = await lastPlace(api, stream, upToSeq);
  let count = 0;
  let fromSeq = 1;
  for (;;) {
    const request = { stream, filter: subject, fromSeq, limit: pageLimit, maxBytes };
    const page = (await readBySeq(api, request)).filter(({ seq }) => seq <= lastSeq);
    const outcomes = await Promise.all(
      page.map(({ seq }) =>
        api.tryCall({ verb: `STREAM.MSG.DELETE.${stream}`, body: { seq }, where }, [apiCodes.sequenceNotFound]),
      ),
    );
    count += outcomes.filter((outcome) => !isApiError(outcome)).length;
    const last = page.at(-1);
    if (last === undefined) return count;
    fromSeq = last.seq + 1;
  }
}
