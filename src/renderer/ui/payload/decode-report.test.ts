import { expect, test } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { decodeSteps } from './decode-report.ts';
import { createPayloadDesk } from './payload-desk.ts';

const facts = { key: 'opened with secret ops of peer wilma', contentType: 'application/json' };

function stepsOf(bytes: Uint8Array, said?: typeof facts): string[] {
  const reading = createPayloadDesk(bytes).read();
  if (reading.kind === 'json') throw new Error('it is JSON');
  return decodeSteps(reading.why, bytes, said).map(
    ({ name, text, isFault }) => `${isFault ? '! ' : ''}${name}: ${text}`,
  );
}

test('a payload that is no JSON says what was tried, in order, and where it ended', () => {
  expect(stepsOf(utf8('{"a":\n [1,,2]}'), facts)).toEqual([
    'key: opened with secret ops of peer wilma',
    'decompression: the protocol has none, so none was tried',
    'content type: application/json: tried as JSON',
    'UTF-8: all bytes are UTF-8',
    '! JSON: payload.a.1: a value is missing, line 2, column 5 (byte 10)',
  ]);
});

test('bytes of another format are named by how they begin, and nothing is taken apart', () => {
  const gzip = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0);
  expect(stepsOf(gzip, { ...facts, contentType: 'application/x-\u202egzip' })).toEqual([
    'key: opened with secret ops of peer wilma',
    'decompression: the protocol has none, so none was tried; the first bytes look like gzip (RFC 1952)',
    'content type: application/x-‹U+202E›gzip: it does not promise JSON; tried all the same',
    '! UTF-8: the bytes are not UTF-8: the first that is none is byte 1',
  ]);
  expect(stepsOf(utf8('\ufeff{}')).join()).toContain('RFC 8259');
});

test('of a foreign message nothing is said that is not known', () => {
  expect(stepsOf(utf8('hello'))).toEqual([
    'decompression: the protocol has none, so none was tried',
    'UTF-8: all bytes are UTF-8',
    '! JSON: payload: a value is missing, line 1, column 1 (byte 0)',
  ]);
  expect(stepsOf(new Uint8Array(0)).at(-1)).toMatch(/^! bytes: 0/);
});
