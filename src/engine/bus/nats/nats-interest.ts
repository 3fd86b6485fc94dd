/**
 * Whether somebody wants what is published, in streams that keep only what is wanted (protocol.md §1: `no-such-peer`).
 * Law: the server acks and drops what nobody wants, so it is asked first; its answer is believed for a moment, asked again beside
 * the traffic, and never believed longer than three seconds without having been asked again.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { covers, parseSubject } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import { isApiError, type JetStreamApi, listAll, listIn, recordIn, textIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { type KnownStream, type StreamBook, tableStream } from './nats-stream-book.ts';
import { specOf } from './nats-stream-config.ts';

export interface InterestCheck {
  /** Undefined: go on. Else wait for it. Throws `invalid-subject`, and when it was waited for `no-such-peer`, `not-found` (no stream takes the subject). */
  check(subject: string): Promise<void> | undefined;
  /** The server contradicted what is believed of a subject. */
  doubt(subject: string): void;
}

interface Entry {
  /** Whether the stream keeps what nobody wants: nothing to ask. */
  readonly isFree: boolean;
  checkedMs: number;
  asking: Promise<void> | undefined;
}

const askAgainMs = 1_000;
const believedMs = 3_000;
/** What kind of stream takes a subject changes with its provisioning only. */
const freeMs = 30_000;
const maxSubjects = 4_096;

/** The consumer that is made with a peer's card, if the subject is that of its inbox. */
function inboxConsumer(subject: string): string | undefined {
  try {
    const { plane, entity } = parseSubject(subject);
    return plane === 'agent' ? `inbox-${entity}` : undefined;
  } catch {
    return undefined;
  }
}

/** Whether some consumer of a stream takes a subject. Throws `not-found` if there is no stream. */
async function hasConsumer(api: JetStreamApi, stream: string, subject: string): Promise<boolean> {
  const where = `stream ${stream}`;
  const takes = (config: ReturnType<typeof recordIn>): boolean =>
    covers(textIn(config, 'filter_subject') || '>', subject);
  const inbox = inboxConsumer(subject);
  if (inbox !== undefined) {
    const info = await api.tryCall({ verb: `CONSUMER.INFO.${stream}.${inbox}`, where }, [apiCodes.consumerNotFound]);
    if (!isApiError(info) && takes(recordIn(info, 'config', where))) return true;
    // In a workspace's own stream there is no other for it (A10), and who may ask for one inbox may not see all of them.
    if (stream === tableStream(subject)?.name) return false;
  }
  const call = { verb: `CONSUMER.LIST.${stream}`, where };
  const all = await listAll(api, call, 'consumers');
  return all.some((one) => takes(recordIn(one, 'config', where)));
}

/** The stream that takes a subject, as the server says. Throws `not-found`. */
async function findStream(api: JetStreamApi, subject: string): Promise<KnownStream> {
  const where = `subject ${subject}`;
  const answer = await api.call({ verb: 'STREAM.NAMES', body: { subject }, where });
  const name = listIn(answer, 'streams')[0];
  if (typeof name !== 'string') throw noStream(subject);
  const info = await api.call({ verb: `STREAM.INFO.${name}`, where: `stream ${name}` });
  return specOf(recordIn(info, 'config', where));
}

export function noStream(subject: string): VakError {
  return new VakError('not-found', `${subject}: no stream takes this subject; provision the workspace`);
}

export function createInterestCheck(deps: {
  readonly api: JetStreamApi;
  readonly book: StreamBook;
  readonly clock: Clock;
}): InterestCheck {
  const { api, book, clock } = deps;
  const entries = new Map<string, Entry>();
  book.onChange(() => entries.clear());

  const remember = (subject: string, entry: Entry): void => {
    const oldest = entries.keys().next().value;
    if (entries.size >= maxSubjects && oldest !== undefined) entries.delete(oldest);
    entries.set(subject, entry);
  };
  const ask = async (subject: string, entry: Entry): Promise<void> => {
    const startedMs = clock.monotonic();
    const known = book.of(subject) ?? (await findStream(api, subject));
    if (known.retention !== 'interest') {
      remember(subject, { isFree: true, checkedMs: startedMs, asking: undefined });
      return;
    }
    if (await hasConsumer(api, known.name, subject)) {
      entry.checkedMs = startedMs;
      return;
    }
    throw new VakError('no-such-peer', `${subject}: nobody takes what comes there, so it would vanish; check the name`);
  };
  /** One question a subject at a time; who asks meanwhile waits for the same answer. */
  const asked = (subject: string, entry: Entry): Promise<void> => {
    entry.asking ??= ask(subject, entry)
      .catch((error: unknown) => {
        if (entries.get(subject) === entry) entries.delete(subject);
        throw error;
      })
      .finally(() => {
        entry.asking = undefined;
      });
    return entry.asking;
  };

  return {
    check(subject) {
      const now = clock.monotonic();
      let entry = entries.get(subject);
      if (entry === undefined) {
        // No other subject is ever published (S4), and none with a space or a line break reaches the server.
        parseSubject(subject);
        const known = book.of(subject);
        const isFree = known !== undefined && known.retention !== 'interest';
        entry = { isFree, checkedMs: isFree ? now : Number.NEGATIVE_INFINITY, asking: undefined };
        remember(subject, entry);
      }
      const age = now - entry.checkedMs;
      if (entry.isFree && age >= freeMs) {
        entries.delete(subject);
        return this.check(subject);
      }
      if (entry.isFree || age < askAgainMs) return undefined;
      const answer = asked(subject, entry);
      if (age >= believedMs) return answer;
      // The next append after this one sees what the answer was; a failure has forgotten the entry.
      answer.catch(() => {});
      return undefined;
    },
    doubt(subject) {
      const known = book.of(subject);
      if (known !== undefined) book.forget(known.name);
      entries.delete(subject);
    },
  };
}
