/**
 * The envelope on the wire: a CloudEvents event, JSON, structured mode (protocol.md §3, E2).
 * Law: strict both ways: what is read is exactly what was written, and what cannot be read back is never written.
 */
import { fromBase64, toBase64, toTextStrict, utf8 } from '../base/bytes.ts';
import { type JsonNode, type JsonNodeMember, pathPart, scanJson } from '../base/json-scan.ts';
import type { Envelope, EnvelopeData, ExtensionAttribute, SealAttributes, SignatureAttributes } from './envelope.ts';
import { checkAttributes, checkEnvelope } from './envelope-fields.ts';
import { checkExtensionName, checkExtensionValue, knownAttributes, maxEnvelopeDepth } from './foreign-parts.ts';
import { refuseField } from './refuse-field.ts';

/** Largest envelope that is read, in bytes (E2). */
export const maxEnvelopeBytes = 1_048_576;
/** Largest envelope that is written: 4 KiB less, as headers count on NATS (E2). */
export const maxWrittenEnvelopeBytes = maxEnvelopeBytes - 4096;

// The order in which attributes are written, `data_base64` and `seqnum` between the groups.
const headNames = ['id', 'source', 'type', 'time', 'datacontenttype', 'subject'] as const;
const contextNames = ['traceparent', 'tracestate', 'workspaceid', 'agentid', 'sessionid', 'parentagentid'] as const;
const chainNames = ['prevhash', 'payloadhash', 'causationid', 'resumes'] as const;

const seqnumForm = /^(?:0|[1-9]\d{0,15})$/;

/** An envelope's members by name, as they were read. */
interface Members {
  readonly texts: Map<string, string>;
  readonly unknown: JsonNodeMember[];
  data: EnvelopeData;
}

function addData(members: Members, { name, value }: JsonNodeMember, text: string): void {
  if (members.data.kind !== 'none') refuseField(name, 'data and data_base64 exclude each other');
  if (name === 'data') {
    members.data = { kind: 'json', text: text.slice(value.start, value.end) };
  } else if (value.kind === 'string') {
    members.data = { kind: 'bytes', bytes: fromBase64(value.value, 'data_base64') };
  } else {
    refuseField('data_base64', `expected a string, got ${value.kind}`);
  }
}

function addMember(members: Members, member: JsonNodeMember, text: string): void {
  const { name, value } = member;
  if (name === 'data' || name === 'data_base64') {
    addData(members, member, text);
  } else if (knownAttributes.has(name)) {
    if (value.kind === 'string') members.texts.set(name, value.value);
    // CloudEvents JSON §2.2: an attribute that is null is not set.
    else if (value.kind !== 'null') refuseField(name, `expected a string, got ${value.kind}`);
  } else {
    members.unknown.push(member);
  }
}

function readExtensions(unknown: readonly JsonNodeMember[], text: string): readonly ExtensionAttribute[] {
  return unknown.flatMap(({ name, value }) => {
    checkExtensionName(name, pathPart(name));
    if (value.kind === 'null') return [];
    checkExtensionValue(name, value);
    return [{ name, valueText: text.slice(value.start, value.end) }];
  });
}

function readMembers(root: JsonNode, text: string): Members {
  if (root.kind !== 'object') return refuseField('envelope', `expected an object, got ${root.kind}`);
  const members: Members = { texts: new Map(), unknown: [], data: { kind: 'none' } };
  for (const member of root.members) addMember(members, member, text);
  return members;
}

function required(texts: ReadonlyMap<string, string>, name: string): string {
  return texts.get(name) ?? refuseField(name, 'missing');
}

function readSeqnum(text: string): number {
  if (!seqnumForm.test(text)) refuseField('seqnum', `expected a canonical decimal, got ${text.length} characters`);
  // Above 2^53−1 it is refused with the other fields.
  return Number(text);
}

function readSeal(texts: ReadonlyMap<string, string>): SealAttributes | undefined {
  if (!texts.has('encalg') && !texts.has('keyid') && !texts.has('nonce')) return undefined;
  // The algorithm is checked with the other fields.
  const encalg = required(texts, 'encalg') as SealAttributes['encalg'];
  return { encalg, keyid: required(texts, 'keyid'), nonce: required(texts, 'nonce') };
}

function readSigned(texts: ReadonlyMap<string, string>): SignatureAttributes | undefined {
  if (!texts.has('signer') && !texts.has('signature')) return undefined;
  return { signer: required(texts, 'signer'), signature: required(texts, 'signature') };
}

function toEnvelope({ texts, unknown, data }: Members, text: string): Envelope {
  if (required(texts, 'specversion') !== '1.0') refuseField('specversion', 'expected 1.0, which is all that is known');
  return {
    id: required(texts, 'id'),
    source: required(texts, 'source'),
    type: required(texts, 'type'),
    time: required(texts, 'time'),
    datacontenttype: texts.get('datacontenttype'),
    subject: texts.get('subject'),
    data,
    traceparent: texts.get('traceparent'),
    tracestate: texts.get('tracestate'),
    workspaceid: required(texts, 'workspaceid'),
    agentid: required(texts, 'agentid'),
    sessionid: texts.get('sessionid'),
    parentagentid: texts.get('parentagentid'),
    seqnum: readSeqnum(required(texts, 'seqnum')),
    prevhash: required(texts, 'prevhash'),
    payloadhash: required(texts, 'payloadhash'),
    causationid: texts.get('causationid'),
    resumes: texts.get('resumes'),
    seal: readSeal(texts),
    signed: readSigned(texts),
    // After what every envelope has: of something else it is told that it is none, not that a name is unknown.
    extensions: readExtensions(unknown, text),
  };
}

/**
 * Reads an envelope (E1, E2). Throws `limit-exceeded` above {@link maxEnvelopeBytes}, else `invalid-payload`;
 * `details.field` names the attribute.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > maxEnvelopeBytes) {
    refuseField('envelope', `${bytes.length} bytes, at most ${maxEnvelopeBytes} are read`, 'limit-exceeded');
  }
  const text = toTextStrict(bytes, 'envelope');
  const root = scanJson(text, {
    field: '',
    maxDepth: maxEnvelopeDepth,
    duplicates: 'refuse',
    loneSurrogates: 'refuse',
  });
  const envelope = toEnvelope(readMembers(root, text), text);
  checkAttributes(envelope);
  return envelope;
}

function print(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}

function printData(data: EnvelopeData): string {
  if (data.kind === 'none') return '';
  return data.kind === 'json' ? `,"data":${data.text}` : `,"data_base64":"${toBase64(data.bytes)}"`;
}

function refuseSize(sizeBytes: number): never {
  return refuseField(
    'envelope',
    `${sizeBytes} bytes or more, at most ${maxWrittenEnvelopeBytes} are written; make the payload smaller`,
    'limit-exceeded',
  );
}

/**
 * Writes an envelope in fixed order, unknown attributes last (E2). Throws `invalid-payload` for what E1 and E2 refuse and
 * `limit-exceeded` above {@link maxWrittenEnvelopeBytes}.
 */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  const { data, seal, signed } = envelope;
  const sizeBytes = data.kind === 'bytes' ? Math.ceil(data.bytes.length / 3) * 4 : 0;
  if (sizeBytes > maxWrittenEnvelopeBytes) refuseSize(sizeBytes);
  checkEnvelope(envelope);
  let text = '{"specversion":"1.0"';
  for (const name of headNames) text += print(name, envelope[name]);
  text += printData(data);
  for (const name of contextNames) text += print(name, envelope[name]);
  text += print('seqnum', String(envelope.seqnum));
  for (const name of chainNames) text += print(name, envelope[name]);
  if (seal !== undefined)
    text += print('encalg', seal.encalg) + print('keyid', seal.keyid) + print('nonce', seal.nonce);
  if (signed !== undefined) text += print('signer', signed.signer) + print('signature', signed.signature);
  for (const { name, valueText } of envelope.extensions) text += `,"${name}":${valueText}`;
  text += '}';
  const bytes = utf8(text);
  return bytes.length > maxWrittenEnvelopeBytes ? refuseSize(bytes.length) : bytes;
}

/** The payload's bytes as they are hashed (E2, E10): of a foreign `data` its JSON text as it came. Not a copy. */
export function payloadBytesOf(envelope: Envelope): Uint8Array {
  const { data } = envelope;
  if (data.kind === 'bytes') return data.bytes;
  return data.kind === 'json' ? utf8(data.text) : new Uint8Array(0);
}
