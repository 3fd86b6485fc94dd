/**
 * What each attribute of an envelope may be (protocol.md E1, E2), whoever made it.
 * Law: what passes has no `:` in any field of the AAD and no `|` in any field of the leaf, so both are injective.
 */
import { isCalendarDate } from '../base/calendar-date.ts';
import { isCleanText } from './clean-text.ts';
import type { Envelope } from './envelope.ts';
import { checkExtensions, checkJsonData } from './foreign-parts.ts';
import { isKeyId } from './key-id.ts';
import { kindOf, refuseField } from './refuse-field.ts';
import { isToken, maxSubjectLength } from './subject.ts';
import { parseTraceparent } from './trace-context.ts';

/** Longest foreign source, traceparent or content type in characters; `tracestate` may be longer, as it is shortened when read. */
const maxTextLength = 512;
const maxTracestateLength = 4096;
const maxTypeLength = 255;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const typeForm = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const timeForm = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?Z$/;
const sourceForm = /^vak:\/\/([A-Za-z0-9_-]{1,64})\/([A-Za-z0-9_-]{1,64})\/([A-Za-z0-9_-]{1,64})$/;
const resumesForm = /^([^|]+)#(0|[1-9]\d{0,15}):[0-9a-f]{64}$/;
const hash = /^[0-9a-f]{64}$/;
const nonceForm = /^[0-9a-f]{24}$/;
const signerForm = /^U[A-Z2-7]{55}$/;
/** 64 bytes as base64url: of the last character only two bits count, the others are zero. */
const signatureForm = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** The parts of a source of ours. */
export interface FabricSource {
  readonly ws: string;
  readonly peer: string;
  readonly session: string;
}

/** The fields that the AAD is made of (E6). */
export type AadSource = Pick<Envelope, 'id' | 'type' | 'workspaceid' | 'seqnum'>;

/** Whether a source is one of ours: `vak://<ws>/<peer>/<session>`. */
export function isFabricSource(source: string): boolean {
  return sourceForm.test(source);
}

/** The source of a peer's session; throws `invalid-payload` that names the part. */
export function sourceOf(ws: string, peer: string, session: string): string {
  checkTokenField('ws', ws);
  checkTokenField('peer', peer);
  checkTokenField('session', session);
  return `vak://${ws}/${peer}/${session}`;
}

/** The parts of a source of ours, or undefined for a foreign one. */
export function parseSource(source: string): FabricSource | undefined {
  const found = sourceForm.exec(source);
  if (found === null) return undefined;
  const [, ws, peer, session] = found as unknown as [string, string, string, string];
  return { ws, peer, session };
}

/** Whether two sources are of one peer: each the same, or sessions of it (E12). */
export function isSameSender(left: string, right: string): boolean {
  if (left === right) return true;
  const [a, b] = [parseSource(left), parseSource(right)];
  return a !== undefined && b !== undefined && a.ws === b.ws && a.peer === b.peer;
}

function checkTokenField(field: string, value: string): void {
  if (!isToken(value)) refuseField(field, `expected 1–64 of A–Z a–z 0–9 _ -, got ${kindOf(value)}`);
}

/** Text that CloudEvents allows, of bounded length. */
function checkText(field: string, value: string, max = maxTextLength): void {
  if (value.length < 1 || value.length > max) {
    refuseField(field, `expected 1–${max} characters, got ${kindOf(value)}`);
  }
  if (!isCleanText(value)) refuseField(field, 'a control character, lone surrogate or noncharacter');
}

function checkForm(field: string, value: string, is: { readonly form: RegExp; readonly expected: string }): void {
  if (!is.form.test(value)) refuseField(field, `expected ${is.expected}, got ${kindOf(value)}`);
}

function checkSource(field: string, source: string): void {
  checkText(field, source);
  if (source.includes('|')) refuseField(field, 'a "|" is not allowed there');
}

/** Whether a text is a time of E1: RFC 3339 with `T` and `Z`, a day that exists, 0–9 digits of fraction, no leap second. */
export function isEnvelopeTime(time: string): boolean {
  const found = timeForm.exec(time);
  if (found === null) return false;
  const at = (place: number): number => Number(found[place]);
  return isCalendarDate(at(1), at(2), at(3)) && at(4) < 24 && at(5) < 60 && at(6) < 60;
}

/** Refuses what the AAD must not be made of (E1, E6); throws `invalid-payload` that names the field. */
export function checkAadSource({ id, type, workspaceid, seqnum }: AadSource): void {
  checkForm('id', id, { form: uuid, expected: 'a UUID in lower hex' });
  if (type.length > maxTypeLength || !typeForm.test(type)) {
    refuseField('type', `expected tokens joined by ".", at most ${maxTypeLength} characters, got ${kindOf(type)}`);
  }
  checkTokenField('workspaceid', workspaceid);
  if (!Number.isSafeInteger(seqnum) || seqnum < 0) refuseField('seqnum', 'expected a whole number from 0 to 2^53−1');
}

function checkResumes(resumes: string): void {
  checkText('resumes', resumes, maxTextLength + 96);
  const found = resumesForm.exec(resumes);
  if (found === null || !Number.isSafeInteger(Number(found[2]))) {
    refuseField('resumes', `expected <source>#<seq>:<64 hex>, got ${kindOf(resumes)}`);
  }
}

function checkOptional(envelope: Envelope): void {
  const { datacontenttype, subject, traceparent, tracestate, sessionid, parentagentid, causationid } = envelope;
  if (datacontenttype !== undefined) checkText('datacontenttype', datacontenttype);
  if (subject !== undefined) checkText('subject', subject, maxSubjectLength);
  if (traceparent !== undefined) {
    checkText('traceparent', traceparent);
    if (parseTraceparent(traceparent) === undefined) {
      refuseField('traceparent', `not a W3C traceparent with lower hex and ids that are not zero`);
    }
  }
  if (tracestate !== undefined && tracestate !== '') checkText('tracestate', tracestate, maxTracestateLength);
  if (sessionid !== undefined) checkTokenField('sessionid', sessionid);
  if (parentagentid !== undefined) checkTokenField('parentagentid', parentagentid);
  if (causationid !== undefined) checkTokenField('causationid', causationid);
  if (envelope.resumes !== undefined) checkResumes(envelope.resumes);
}

function checkSeal({ seal, data }: Envelope): void {
  if (seal === undefined) return;
  if (seal.encalg !== 'AES-256-GCM') refuseField('encalg', `expected AES-256-GCM, got ${kindOf(seal.encalg)}`);
  if (!isKeyId(seal.keyid)) refuseField('keyid', `expected 1–192 of A–Z a–z 0–9 _ . -, got ${kindOf(seal.keyid)}`);
  checkForm('nonce', seal.nonce, { form: nonceForm, expected: '24 lower hex digits' });
  if (data.kind === 'json') refuseField('data', 'a sealed payload stands in data_base64');
  if (data.kind === 'none') refuseField('data_base64', 'a sealed envelope has its payload there, and none came');
}

function checkSigned({ signed, data, sessionid, traceparent, extensions }: Envelope): void {
  if (signed === undefined) return;
  checkForm('signer', signed.signer, { form: signerForm, expected: 'a public user nkey (U and 55 of base32)' });
  checkForm('signature', signed.signature, { form: signatureForm, expected: '86 characters of canonical base64url' });
  if (sessionid === undefined) refuseField('sessionid', 'missing, and the envelope is signed');
  if (traceparent === undefined) refuseField('traceparent', 'missing, and the envelope is signed');
  if (data.kind === 'json') refuseField('data', 'a signed payload stands in data_base64');
  if (extensions.some(({ name }) => name === 'dataschema')) {
    refuseField('dataschema', 'no signature covers it, so a signed envelope has none');
  }
}

/** The attributes that the protocol knows (E1); what only a foreign sender adds is left to {@link checkEnvelope}. */
export function checkAttributes(envelope: Envelope): void {
  checkAadSource(envelope);
  checkSource('source', envelope.source);
  if (!isEnvelopeTime(envelope.time)) {
    refuseField('time', `expected RFC 3339 with T and Z and up to 9 digits of fraction, got ${kindOf(envelope.time)}`);
  }
  checkTokenField('agentid', envelope.agentid);
  checkForm('prevhash', envelope.prevhash, { form: hash, expected: '64 lower hex digits' });
  checkForm('payloadhash', envelope.payloadhash, { form: hash, expected: '64 lower hex digits' });
  checkOptional(envelope);
  checkSeal(envelope);
  checkSigned(envelope);
}

/** Refuses an envelope that breaks E1 or E2; throws `invalid-payload` with `details.field`. */
export function checkEnvelope(envelope: Envelope): void {
  checkAttributes(envelope);
  checkExtensions(envelope.extensions);
  checkJsonData(envelope.data);
}
