/**
 * What JetStream refuses, as errors of the house (protocol.md B10).
 * Law: translated by `err_code`, then by the status class, never by the server's text; that text is not shown.
 */
import { type ErrorCode, isVakError, VakError } from '../../../shared/base/vak-error.ts';

/** The `error` of an answer of JetStream's API. */
export interface JetStreamApiError {
  readonly code: number;
  readonly err_code: number;
}

/** Codes that callers look for (server/errors.json of nats-server). */
export const apiCodes = {
  streamNotFound: 10059,
  consumerNotFound: 10014,
  messageNotFound: 10037,
  wrongLastSeq: 10071,
  deleteFailed: 10057,
  sequenceNotFound: 10043,
  filterOutside: 10093,
  /** A consumer of that name is there, and is another one (10012: it cannot be changed into what is wanted). */
  otherConsumer: [10012, 10013, 10105, 10148],
} as const;

interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
  readonly retryable?: boolean;
}

const meanings: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [
    10002,
    {
      code: 'limit-exceeded',
      text: 'the account has used up its JetStream resources; make room or raise them',
      retryable: true,
    },
  ],
  [10005, { code: 'unsupported', text: 'the cluster has too few servers with JetStream and room for so many copies' }],
  [10008, { code: 'disconnected', text: 'JetStream is not available now', retryable: true }],
  [10009, { code: 'disconnected', text: 'the cluster has no leader now', retryable: true }],
  [10013, { code: 'conflict', text: 'there is another consumer of that name' }],
  [10014, { code: 'not-found', text: 'there is no such consumer' }],
  [10023, { code: 'limit-exceeded', text: 'the server has too few resources', retryable: true }],
  [10026, { code: 'limit-exceeded', text: 'no more consumers are allowed; delete one or raise the limit' }],
  [10027, { code: 'limit-exceeded', text: 'no more streams are allowed; delete one or raise the limit' }],
  [10028, { code: 'limit-exceeded', text: 'the server has too little memory for JetStream', retryable: true }],
  [10037, { code: 'not-found', text: 'there is no such message' }],
  [10039, { code: 'unsupported', text: 'JetStream is not enabled for this account; enable it' }],
  [10043, { code: 'not-found', text: 'there is no message of that number' }],
  [
    10047,
    {
      code: 'limit-exceeded',
      text: 'the server has too little storage for JetStream; raise max_file_store',
      retryable: true,
    },
  ],
  [10052, { code: 'conflict', text: 'the server cannot make the stream so' }],
  [10054, { code: 'limit-exceeded', text: 'the message is larger than the stream takes' }],
  [10058, { code: 'conflict', text: 'there is another stream of that name' }],
  [10059, { code: 'not-found', text: 'there is no such stream' }],
  [10060, { code: 'conflict', text: 'another stream takes that subject' }],
  [10065, { code: 'conflict', text: 'another stream takes one of its subjects' }],
  [10070, { code: 'conflict', text: 'another message was stored meanwhile' }],
  [
    10071,
    { code: 'conflict', text: 'another message was stored on that subject meanwhile; look at it, then decide anew' },
  ],
  [10074, { code: 'unsupported', text: 'more than one copy needs servers that form a cluster' }],
  [10076, { code: 'unsupported', text: 'JetStream is not enabled on the server; enable it' }],
  [10077, { code: 'limit-exceeded', text: 'the stream is full; make room or raise its limit' }],
  [10093, { code: 'invalid-input', text: 'the filter lies outside the subjects of the stream' }],
  [10099, { code: 'conflict', text: 'a work queue takes one consumer a subject' }],
  [10100, { code: 'conflict', text: 'a work queue takes one consumer a subject' }],
  [10105, { code: 'conflict', text: 'there is another consumer of that name' }],
  [10122, { code: 'limit-exceeded', text: 'the account demands a stated largest size of a stream' }],
  [10148, { code: 'conflict', text: 'there is another consumer of that name' }],
]);

/** What a status class means when the code is not known. */
function meaningOfStatus(status: number): Meaning {
  if (status === 400) return { code: 'invalid-input', text: 'the server does not take this request' };
  if (status === 401 || status === 403) return { code: 'unauthorized', text: 'the server refuses these credentials' };
  if (status === 404) return { code: 'not-found', text: 'there is no such thing' };
  if (status === 408) return { code: 'timeout', text: 'the server gave up', retryable: true };
  if (status === 503) return { code: 'disconnected', text: 'JetStream cannot answer now', retryable: true };
  return { code: 'unsupported', text: 'the server refused' };
}

/** An error of the API at a place: a stream, a consumer, a subject. The server's number is in the details. */
export function jetStreamError(error: JetStreamApiError, where: string): VakError {
  const { code, text, retryable } = meanings.get(error.err_code) ?? meaningOfStatus(error.code);
  return new VakError(code, `${where}: ${text} (nats-server error ${error.err_code})`, {
    retryable: retryable ?? false,
    details: { serverCode: error.err_code },
  });
}

/** Whether a failure is the server's refusal of that number. */
export function isServerCode(error: unknown, serverCode: number): boolean {
  return isVakError(error) && error.details?.['serverCode'] === serverCode;
}

/** Nobody answers JetStream's API at all. */
export function jetStreamMissing(): VakError {
  return new VakError(
    'unsupported',
    'JetStream is not enabled on this server, so it keeps nothing: start it with JetStream, or use another context',
    { details: { feature: 'jetstream' } },
  );
}
