/**
 * JetStream's API of a server: JSON questions, checked answers (protocol.md B5, B9, B10).
 * Law: names go into a subject only after they were checked; no answer is trusted to have a shape.
 */
import type { Msg } from 'nats';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { NatsAsks } from './nats-asks.ts';
import { type JetStreamApiError, jetStreamError, jetStreamMissing } from './nats-plane-errors.ts';

/** The least version that has what the plane is built on (consumers that are named when made, direct reads, filters in API subjects). */
const leastVersion = [2, 9, 0] as const;

export type JsonRecord = Readonly<Record<string, unknown>>;

export interface ApiCall {
  /** After `$JS.API.`: `STREAM.INFO.<name>`. */
  readonly verb: string;
  readonly body?: JsonRecord;
  /** What errors speak of: `stream VAK_WORK_ws`. */
  readonly where: string;
  readonly signal?: AbortSignal | undefined;
}

export interface SubjectOfStream {
  readonly stream: string;
  readonly subject: string;
}

export interface JetStreamApi {
  /** The answer. Throws what it refuses, translated; `unsupported` without JetStream. */
  call(call: ApiCall): Promise<JsonRecord>;
  /** As `call`, but gives what is refused under `codes` as such. */
  tryCall(call: ApiCall, codes: readonly number[]): Promise<JsonRecord | JetStreamApiError>;
  /**
   * The newest message of a subject, which stands in the subject of the question, so that a server can allow it by subject (A4).
   * `barred`: the stream does not allow this way. Throws `not-found` (no such stream), and what asking throws.
   */
  newest(from: SubjectOfStream): Promise<Msg | 'none' | 'barred'>;
}

export interface JetStreamApiDeps {
  readonly asks: NatsAsks;
  readonly timeoutMs: number;
  /** Of the server that is connected now; undefined while none is. */
  readonly serverVersion: () => string | undefined;
}

const nameForm = /^[A-Za-z0-9_-]{1,240}$/;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The name of a stream, bucket or consumer, or `invalid-input` that names the field. */
export function checkName(name: string, field: string): string {
  if (nameForm.test(name)) return name;
  throw new VakError('invalid-input', `${field}: expected 1–240 of A–Z a–z 0–9 _ -, got ${name.length} characters`, {
    details: { field },
  });
}

/** Whether an answer of the API is a refusal. */
export function isApiError(answer: JsonRecord | JetStreamApiError): answer is JetStreamApiError {
  return 'err_code' in answer;
}

/** Parses JSON of the server into an object; throws `corrupt`. */
export function parseRecord(data: Uint8Array, where: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(data));
  } catch {
    value = undefined;
  }
  if (isRecord(value)) return value;
  throw new VakError('corrupt', `${where}: the server's answer (${data.length} bytes) is no JSON object`);
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The refusal in an answer, if it is one. */
export function refusalOf(answer: JsonRecord): JetStreamApiError | undefined {
  const error = answer['error'];
  if (!isRecord(error)) return undefined;
  const { code, err_code: serverCode } = error as { code?: unknown; err_code?: unknown };
  return {
    code: typeof code === 'number' ? code : 0,
    err_code: typeof serverCode === 'number' ? serverCode : 0,
  };
}

/** A part of an answer, or `corrupt`. */
export function recordIn(answer: JsonRecord, key: string, where: string): JsonRecord {
  const value = answer[key];
  if (isRecord(value)) return value;
  throw new VakError('corrupt', `${where}: the server's answer has no ${key}`, { details: { field: key } });
}

export function numberIn(answer: JsonRecord, key: string): number {
  const value = answer[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export function textIn(answer: JsonRecord, key: string): string {
  const value = answer[key];
  return typeof value === 'string' ? value : '';
}

export function listIn(answer: JsonRecord, key: string): readonly unknown[] {
  const value = answer[key];
  return Array.isArray(value) ? value : [];
}

/** Every page of a list, one question after the other. */
export async function listAll(api: JetStreamApi, call: ApiCall, key: string): Promise<readonly JsonRecord[]> {
  const found: JsonRecord[] = [];
  for (;;) {
    const answer = await api.call({ ...call, body: { ...call.body, offset: found.length } });
    const page = listIn(answer, key).filter(isRecord);
    found.push(...page);
    if (page.length === 0 || found.length >= numberIn(answer, 'total')) return found;
  }
}

function checkVersion(version: string | undefined): void {
  if (version === undefined) return;
  const parts = version.split(/[.-]/, 3).map(Number);
  for (const [index, least] of leastVersion.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least || Number.isNaN(part)) {
      const needs = leastVersion.join('.');
      throw new VakError('unsupported', `the server is nats-server ${version}: streams need ${needs} or later`, {
        details: { feature: 'jetstream', needs },
      });
    }
  }
}

const noMessage = 404;
const nobodyThere = 503;
/** Streams that are known to be read directly; and how long an answer to that may take before the stream is asked for anew, ms. */
const maxDirect = 1_024;
const directTimeoutMs = 1_000;

/** So long the account of the streams may take to answer after the server has said of the peers' that it has none. */
const graceMs = 1_000;
/** How that is said. */
const notEnabled = '"err_code":10039,';

/** Where the streams lie in an account of their own (A22), a server may say of the peers' that it has none, beside what they answer. */
function isOfStreams({ data }: Msg): boolean {
  return data.length > 512 || !decoder.decode(data).includes(notEnabled);
}

export function createJetStreamApi({ asks, timeoutMs, serverVersion }: JetStreamApiDeps): JetStreamApi {
  const request = async ({ verb, body, where, signal }: ApiCall): Promise<JsonRecord> => {
    checkVersion(serverVersion());
    const data = body === undefined ? new Uint8Array() : encoder.encode(JSON.stringify(body));
    const answer = await asks.ask(`$JS.API.${verb}`, data, { timeoutMs, signal, isAnswer: isOfStreams, graceMs });
    if (answer.data.length === 0 && answer.headers?.code === nobodyThere) throw jetStreamMissing();
    return parseRecord(answer.data, where);
  };
  const call: JetStreamApi['call'] = async (one) => {
    const answer = await request(one);
    const refusal = refusalOf(answer);
    if (refusal !== undefined) throw jetStreamError(refusal, one.where);
    return answer;
  };
  /** Streams that said that they are read directly. */
  const direct = new Set<string>();
  /** Nobody answers at all for a stream that is not there, so that is known before. */
  const isDirect = async (stream: string): Promise<boolean> => {
    if (direct.has(stream)) return true;
    const where = `stream ${stream}`;
    const info = await call({ verb: `STREAM.INFO.${stream}`, where });
    if (recordIn(info, 'config', where)['allow_direct'] !== true) return false;
    if (direct.size >= maxDirect) direct.clear();
    direct.add(stream);
    return true;
  };
  const askDirect = async ({ stream, subject }: SubjectOfStream, limitMs: number): Promise<Msg | 'none' | 'barred'> => {
    if (!(await isDirect(stream))) return 'barred';
    const verb = `$JS.API.DIRECT.GET.${stream}.${subject}`;
    const answer = await asks.ask(verb, new Uint8Array(), { timeoutMs: limitMs });
    return answer.data.length === 0 && answer.headers?.code === noMessage ? 'none' : answer;
  };
  return {
    async newest(from) {
      checkVersion(serverVersion());
      try {
        return await askDirect(from, Math.min(timeoutMs, directTimeoutMs));
      } catch (error) {
        if (!isVakError(error, 'timeout')) throw error;
        direct.delete(from.stream);
        return await askDirect(from, timeoutMs);
      }
    },
    call,
    async tryCall(call, codes) {
      const answer = await request(call);
      const refusal = refusalOf(answer);
      if (refusal === undefined) return answer;
      if (codes.includes(refusal.err_code)) return refusal;
      throw jetStreamError(refusal, call.where);
    },
  };
}
