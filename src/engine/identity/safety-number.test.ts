import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { compareSafety, safetyGroups, safetyText } from '../../shared/protocol/safety-text.ts';
import { decodeNkey } from './nkey.ts';
import { safetyNumber } from './safety-number.ts';

const ada = { peer: 'ada', sign: signerOf(1).nkey };
const bob = { peer: 'bob', sign: signerOf(2).nkey };
const eve = signerOf(3).nkey;
const pair = { ws: 'acme', peers: [ada, bob] } as const;
const own = { pair, number: safetyNumber(ada, bob) };

/** The rule of I2 once more, in its own words. */
function halfByHand(peer: string, sign: string): string {
  const key = Buffer.from(decodeNkey(sign, 'sign'));
  const length = (bytes: Uint8Array): Buffer => {
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32BE(bytes.length);
    return Buffer.concat([prefix, bytes]);
  };
  let bytes = Buffer.concat([Buffer.from('vak-safety-v1\0'), length(key), length(Buffer.from(peer))]);
  for (let i = 0; i < 5200; i++)
    bytes = createHash('sha512')
      .update(Buffer.concat([bytes, key]))
      .digest();
  let digits = '';
  for (let i = 0; i < 30; i += 5) {
    const value = [...bytes.subarray(i, i + 5)].reduce((sum, byte) => sum * 256 + byte, 0);
    digits += String(value % 100_000).padStart(5, '0');
  }
  return digits;
}

describe('I2 the safety number', () => {
  test('I2 is sixty digits, the halves of both peers by rising digits, the same on both sides', () => {
    expect(own.number).toBe([halfByHand('ada', ada.sign), halfByHand('bob', bob.sign)].sort().join(''));
    expect(own.number).toMatch(/^\d{60}$/);
    expect(safetyNumber(bob, ada)).toBe(own.number);
    expect(safetyGroups(own.number)).toHaveLength(12);
  });

  test('I2 golden value, so that it never changes by itself', () => {
    expect(own.number).toBe('339160683159123674376108436208495688230617463686949679580589');
  });

  test.each([
    ['another key', { ...bob, sign: eve }],
    ['another name', { ...bob, peer: 'bobby' }],
  ])('I2 %s gives another number, and the other half stays', (_, changed) => {
    const number = safetyNumber(ada, changed);
    expect(number).not.toBe(own.number);
    expect([number.slice(0, 30), number.slice(30)]).toContain(halfByHand('ada', ada.sign));
  });
});

describe('I2 comparing by machine', () => {
  test('I2 the QR text holds both keys, the same whoever shows it, and is recognised', () => {
    const text = safetyText({ ws: 'acme', peers: [bob, ada] });
    expect(text).toBe(safetyText(pair));
    expect(text).toContain(ada.sign);
    expect(text).toContain(bob.sign);
    expect(compareSafety(` ${text}\n`, own)).toEqual({ kind: 'same' });
  });

  test('I2 digits are recognised with whatever space stands between them', () => {
    expect(compareSafety(safetyGroups(own.number).join(' \n'), own)).toEqual({ kind: 'same' });
    const wrong = `${own.number.slice(0, 12)}${(Number(own.number[12]) + 1) % 10}${own.number.slice(13)}`;
    expect(compareSafety(wrong, own)).toEqual({ kind: 'different', why: 'The 3. group of five digits differs.' });
    expect(compareSafety(own.number.slice(1), own)).toMatchObject({
      kind: 'unreadable',
      why: expect.stringContaining('59'),
    });
  });

  test('I2 a key that is another one there is named with its peer', () => {
    const text = safetyText({ ws: 'acme', peers: [ada, { ...bob, sign: eve }] });
    const verdict = compareSafety(text, own);
    expect(verdict).toMatchObject({ kind: 'different', why: expect.stringContaining('signing key of bob') });
    expect(verdict).toMatchObject({ why: expect.stringContaining(eve.slice(0, 8)) });
  });

  test.each([
    [
      'another pair',
      safetyText({ ws: 'acme', peers: [ada, { peer: 'eve', sign: eve }] }),
      'of ada and eve, not of ada and bob',
    ],
    ['another workspace', safetyText({ ...pair, ws: 'other' }), 'of workspace other'],
  ])('I2 %s is told as that', (_, text, why) => {
    expect(compareSafety(text, own)).toEqual({ kind: 'different', why: expect.stringContaining(why) });
  });

  test.each([
    '',
    'hello',
    'x'.repeat(2000),
    `${safetyText(pair)}:more`,
    safetyText(pair).replace('v1', 'v2'),
    '٣'.repeat(60),
  ])('I2 what is none is never taken for one: %#', (text) => {
    expect(compareSafety(text, own).kind).toBe('unreadable');
  });
});
