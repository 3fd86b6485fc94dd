/**
 * Appends to streams (protocol.md W1, B3, B8).
 * Law: what is acknowledged was stored by the server, under its message id once; appends are under way together, in the order of the calls.
 */
import { headers, type Msg, type MsgHdrs } from 'nats';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { checkAppend } from '../check-durable.ts';
import { checkMessageSize } from '../check-message.ts';
import type { Appended, AppendOptions } from '../durable.ts';
import type { NatsAsks } from './nats-asks.ts';
import type { InterestCheck } from './nats-interest.ts';
import { noStream } from './nats-interest.ts';
import {
  isApiError,
  type JetStreamApi,
  listIn,
  numberIn,
  parseRecord,
  refusalOf,
  textIn,
} from './nats-jetstream-api.ts';
import { apiCodes, isServerCode, jetStreamError } from './nats-plane-errors.ts';
import { lastOf } from './nats-seq-reader.ts';
import { messageIdHeader } from './nats-stored-message.ts';
import type { StreamBook } from './nats-stream-book.ts';

export interface NatsAppendDeps {
  readonly asks: NatsAsks;
  readonly api: JetStreamApi;
  readonly timeoutMs: number;
  readonly book: Pick<StreamBook, 'of'>;
}

export interface AppendRequest {
  /** The stream that takes it, where the table does not say. */
  readonly stream?: string;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly options?: AppendOptions | undefined;
  readonly headers?: MsgHdrs;
}

function headersOf({ options, headers: given }: AppendRequest): MsgHdrs | undefined {
  const { messageId, expectedLastSeq } = options ?? {};
  if (messageId === undefined && expectedLastSeq === undefined) return given;
  const all = given ?? headers();
  if (messageId !== undefined) all.set(messageIdHeader, messageId);
  if (expectedLastSeq !== undefined) all.set('Nats-Expected-Last-Subject-Sequence', String(expectedLastSeq));
  return all;
}

/**
 * Whether a stream can have said it (A23): an answer to a reading has headers, a delivery a reply, and the ack of another stream its
 * name. Whoever hears the question could direct one of those here. What says that nobody was there has a header, and no data.
 */
function isAck({ data, headers: marks, reply }: Msg, stream: string | undefined): boolean {
  if (data.length === 0) return marks?.code === 503;
  if (marks !== undefined || (reply !== undefined && reply !== '')) return false;
  try {
    const ack = parseRecord(data, '');
    const by = textIn(ack, 'stream');
    const isOther = by !== '' && stream !== undefined && by !== stream;
    // Refusals of JetStream's API tell what they are; those of a stream do not.
    if (refusalOf(ack) !== undefined) return !isOther && textIn(ack, 'type') === '';
    return by !== '' && !isOther && numberIn(ack, 'seq') >= 1;
  } catch {
    return false;
  }
}

function readAck(answer: Msg, subject: string, expected: string | undefined): Appended {
  const ack = parseRecord(answer.data, subject);
  const refusal = refusalOf(ack);
  if (refusal !== undefined) throw jetStreamError(refusal, subject);
  const stream = textIn(ack, 'stream');
  const seq = numberIn(ack, 'seq');
  if (!isAck(answer, expected)) {
    throw new VakError('corrupt', `${subject}: what answered is no stream; look who else answers on this subject`);
  }
  return { stream, seq, isDuplicate: ack['duplicate'] === true };
}

/** The stream that takes a subject: by its name where that is known, which may be asked for where the names of all may not (A4). */
async function findStream({ api, book }: NatsAppendDeps, request: AppendRequest): Promise<string | undefined> {
  const { subject } = request;
  const known = request.stream ?? book.of(subject)?.name;
  if (known !== undefined) {
    const call = { verb: `STREAM.INFO.${known}`, where: `stream ${known}` };
    return isApiError(await api.tryCall(call, [apiCodes.streamNotFound])) ? undefined : known;
  }
  const names = await api.call({ verb: 'STREAM.NAMES', body: { subject }, where: `subject ${subject}` });
  const name = listIn(names, 'streams')[0];
  return typeof name === 'string' ? name : undefined;
}

/** Why nobody answered an append: throws `unsupported` (no JetStream), `not-found` (no stream), else that it may be tried again. */
async function explainSilence(deps: NatsAppendDeps, request: AppendRequest): Promise<never> {
  const { subject } = request;
  if ((await findStream(deps, request)) === undefined) throw noStream(subject);
  throw new VakError('no-responders', `${subject}: its stream does not answer now`, { retryable: true });
}

/** At a server where the streams lie in an account of their own (A22) nobody says that there is none: nothing comes. */
async function explainTimeout(deps: NatsAppendDeps, request: AppendRequest, error: unknown): Promise<never> {
  if (isVakError(error, 'timeout') && (await isGone(deps, request))) throw noStream(request.subject);
  throw error;
}

async function isGone(deps: NatsAppendDeps, request: AppendRequest): Promise<boolean> {
  try {
    return (await findStream(deps, request)) === undefined;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** Stores and gives where; without a look at who wants it. */
export async function appendOnce(deps: NatsAppendDeps, request: AppendRequest): Promise<Appended> {
  const { subject, data, options } = request;
  checkAppend(options ?? {});
  const sent = headersOf(request);
  const stream = request.stream ?? deps.book.of(subject)?.name;
  const answer = await deps.asks
    .ask(subject, data, {
      timeoutMs: deps.timeoutMs,
      signal: options?.signal,
      isAnswer: (message) => isAck(message, stream),
      ...(sent === undefined ? {} : { headers: sent }),
    })
    .catch((error: unknown) => explainTimeout(deps, request, error));
  if (answer.data.length === 0 && answer.headers?.code === 503) return explainSilence(deps, request);
  return readAck(answer, subject, stream);
}

/** Whether the server refused what was expected only because it lost the subject's last number with a deleted message. */
async function isLastAfterAll(deps: NatsAppendDeps, request: AppendRequest): Promise<boolean> {
  const { subject, options } = request;
  const expected = options?.expectedLastSeq ?? 0;
  if (expected === 0) return false;
  const stream = await findStream(deps, request);
  if (stream === undefined) return false;
  const last = await lastOf(deps.api, stream, subject);
  return last !== undefined && !last.isIndexed && last.stored.seq === expected;
}

/** Stores in the stream that takes the subject. Throws as the port says. */
export async function append(
  deps: NatsAppendDeps & { readonly interest: InterestCheck },
  request: AppendRequest,
): Promise<Appended> {
  const { subject } = request;
  checkMessageSize(subject, request.data);
  const wait = deps.interest.check(subject);
  if (wait !== undefined) await wait;
  try {
    return await appendOnce(deps, request);
  } catch (error) {
    if (isServerCode(error, apiCodes.wrongLastSeq) && (await isLastAfterAll(deps, request))) {
      // Nobody has appended since if the server still knows of nothing.
      return await appendOnce(deps, { ...request, options: { ...request.options, expectedLastSeq: 0 } });
    }
    if (error instanceof VakError && error.code === 'not-found') deps.interest.doubt(subject);
    throw error;
  }
}
