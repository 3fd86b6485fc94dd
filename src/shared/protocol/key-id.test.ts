import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusedField } from '../../../tests/support/expected-failure.ts';
import { buildKeyId, isKeyId, type KeyId, parseKeyId } from './key-id.ts';

const parts: KeyId = { secretId: 'main', peer: 'worker-1', day: '20260102', boot: 'k3f9a2b1' };

const refused = (change: Partial<KeyId>): unknown => refusedField(() => buildKeyId({ ...parts, ...change }));

const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const day = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10).replaceAll('-', ''));

test('E7 builder and parser are inverse', () => {
  expect(buildKeyId(parts)).toBe('main.worker-1.20260102.k3f9a2b1');
  fc.assert(
    fc.property(fc.record({ secretId: token, peer: token, day, boot: token }), (some) => {
      const text = buildKeyId(some);
      expect(isKeyId(text)).toBe(true);
      expect(parseKeyId(text)).toEqual(some);
    }),
  );
});

test.each<[string, Partial<KeyId>]>([
  ['secretId', { secretId: '' }],
  ['secretId', { secretId: 'a.b' }],
  ['peer', { peer: 'x'.repeat(65) }],
  ['peer', { peer: 'a b' }],
  ['boot', { boot: 'ä' }],
  ['day', { day: '20260229' }],
  ['day', { day: '20261301' }],
  ['day', { day: '2026-1-1' }],
  ['day', { day: '202601021' }],
  ['keyid', { secretId: 's'.repeat(64), peer: 'p'.repeat(64), boot: 'b'.repeat(64) }],
])('E7 a bad %s is refused by name: %j', (field, change) => {
  expect(refused(change)).toBe(field);
});

test('E7 the longest key id has 192 characters', () => {
  const longest = { ...parts, secretId: 's'.repeat(64), peer: 'p'.repeat(64), boot: 'b'.repeat(53) };
  expect(buildKeyId(longest)).toHaveLength(192);
  expect(parseKeyId(`${buildKeyId(longest)}b`)).toBeUndefined();
  expect(isKeyId(`${buildKeyId(longest)}b`)).toBe(false);
});

test.each([
  'key_v1',
  'a.b.20260102',
  'a.b.20260230.c',
  'a.b.c.d',
  'a.b.20260102.c.d',
  'a..20260102.c',
  'a.b.20260102.',
])('E7 %j may stand as keyid, but is none of ours', (text) => {
  expect(isKeyId(text)).toBe(true);
  expect(parseKeyId(text)).toBeUndefined();
});

test.each(['', 'a:b', 'a|b', 'a/b', 'ä', 'a\n'])('E7 %j is no key id at all', (text) => {
  expect(isKeyId(text)).toBe(false);
  expect(parseKeyId(text)).toBeUndefined();
});
