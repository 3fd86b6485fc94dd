/**
 * Ids of encryption keys (protocol.md E7): `<secretId>.<peer>.<yyyymmdd>.<boot>`.
 * Law: builder and parser are inverse; a well-formed foreign id (`key_v1`) is no error here, it is only not ours.
 */
import { isCalendarDate } from '../base/calendar-date.ts';
import { refuseField } from './refuse-field.ts';
import { isToken } from './subject.ts';

/** Longest key id in characters (E7). */
const maxKeyIdLength = 192;

/** Parts of a key id of ours. Each but `day` is a token (S1). */
export interface KeyId {
  readonly secretId: string;
  readonly peer: string;
  /** UTC day as `yyyymmdd`. */
  readonly day: string;
  readonly boot: string;
}

const wellFormed = /^[A-Za-z0-9_.-]{1,192}$/;
const ownForm = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})\.(\d{8})\.([A-Za-z0-9_-]{1,64})$/;

function isDay(day: string): boolean {
  return (
    /^\d{8}$/.test(day) && isCalendarDate(Number(day.slice(0, 4)), Number(day.slice(4, 6)), Number(day.slice(6, 8)))
  );
}

/** Whether a text may stand as `keyid`, ours or foreign: 1–192 of A–Z a–z 0–9 _ . - (E7). */
export function isKeyId(text: string): boolean {
  return wellFormed.test(text);
}

/** Builds a key id of ours; throws `invalid-payload` that names the part (E7). */
export function buildKeyId(parts: KeyId): string {
  for (const name of ['secretId', 'peer', 'boot'] as const) {
    if (!isToken(parts[name])) {
      refuseField(name, `expected 1–64 of A–Z a–z 0–9 _ -, got ${parts[name].length} characters`);
    }
  }
  if (!isDay(parts.day)) refuseField('day', `expected a date as yyyymmdd, got ${parts.day.length} characters`);
  const text = `${parts.secretId}.${parts.peer}.${parts.day}.${parts.boot}`;
  if (text.length > maxKeyIdLength) {
    refuseField('keyid', `${text.length} characters, at most ${maxKeyIdLength}; shorten the secret's id or the peer's`);
  }
  return text;
}

/** The parts of a key id of ours, or undefined for any other text (E7). */
export function parseKeyId(text: string): KeyId | undefined {
  if (text.length > maxKeyIdLength) return undefined;
  const found = ownForm.exec(text);
  if (found === null) return undefined;
  const [, secretId, peer, day, boot] = found as unknown as [string, string, string, string, string];
  return isDay(day) ? { secretId, peer, day, boot } : undefined;
}
