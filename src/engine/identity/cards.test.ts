import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import type { Card } from '../../shared/protocol/identity-records.ts';
import { deriveX25519PublicKey } from '../crypto/x25519.ts';
import { type CardFields, signCard, verifyCard } from './cards.ts';
import { createNkeySigner, encodeNkey, encodeNkeySeed } from './nkey.ts';
import { createRecordChecks } from './signed-record.ts';

const checks = createRecordChecks();
const signer = createNkeySigner(encodeNkeySeed(new Uint8Array(32).fill(1)));
const other = createNkeySigner(encodeNkeySeed(new Uint8Array(32).fill(2)));
const boxOf = (n: number): string => toBase64Url(deriveX25519PublicKey(new Uint8Array(32).fill(n)));
const fields: CardFields = {
  ws: 'acme',
  peer: 'ada',
  kind: 'human',
  agent: false,
  name: 'Ada Lovelace',
  box: boxOf(1),
  boxExpiresAt: 1_770_000_000,
  serial: 7,
};
const card = signCard(fields, signer);

const refused = (value: unknown): string => refusal(() => verifyCard(value, checks), 'invalid-payload').message;

const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const anyFields: fc.Arbitrary<CardFields> = fc.record({
  ws: tokens,
  peer: tokens,
  kind: fc.constantFrom('process', 'human', 'bot'),
  agent: fc.boolean(),
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((name) => name.length <= 64),
  box: fc.integer({ min: 1, max: 200 }).map(boxOf),
  boxExpiresAt: fc.nat(),
  serial: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});

/** Another value of each field, that its schema takes. */
const changes: { [F in keyof Omit<Card, 'v' | 'signature'>]: (card: Card) => Card[F] } = {
  ws: ({ ws }) => `${ws.slice(0, 60)}x`,
  peer: ({ peer }) => `${peer.slice(0, 60)}x`,
  kind: ({ kind }) => (kind === 'bot' ? 'human' : 'bot'),
  agent: ({ agent }) => !agent,
  name: ({ name }) => `${name.slice(0, 30)}\u0301`,
  sign: () => other.nkey,
  box: ({ box }) => (box === boxOf(201) ? boxOf(202) : boxOf(201)),
  boxExpiresAt: ({ boxExpiresAt }) => boxExpiresAt + 1,
  serial: ({ serial }) => (serial > 1 ? serial - 1 : serial + 1),
};

describe('I1 cards', () => {
  test('I1 what was signed verifies, after JSON too, and comes back whole', () => {
    fc.assert(
      fc.property(anyFields, (one) => {
        const signed = signCard(one, signer);
        expect(verifyCard(JSON.parse(JSON.stringify(signed)), checks)).toEqual(signed);
        expect(signed).toEqual({ v: 1, ...one, sign: signer.nkey, signature: signed.signature });
      }),
      { numRuns: 40 },
    );
  });

  test('I1 its bytes under the signature are those of the protocol', () => {
    const u32 = (n: number): string => n.toString(16).padStart(8, '0');
    const field = (hex: string): string => u32(hex.length / 2) + hex;
    const text = (value: string): string => field(Buffer.from(value).toString('hex'));
    const u64 = (n: number): string => field(n.toString(16).padStart(16, '0'));
    const key = Buffer.from(signer.publicKey).toString('hex');
    const box = Buffer.from(fields.box, 'base64url').toString('hex');
    const message =
      Buffer.from('vak-card-v1\0').toString('hex') +
      text('acme') +
      text('ada') +
      text('human') +
      u64(0) +
      text('Ada Lovelace') +
      field(key) +
      field(box) +
      u64(1_770_000_000) +
      u64(7);
    const signature = ed25519.sign(Buffer.from(message, 'hex'), new Uint8Array(32).fill(1));
    expect(card.signature).toBe(toBase64Url(signature));
  });

  test('I1 a change of any one field breaks the signature', () => {
    fc.assert(
      fc.property(anyFields, fc.constantFrom(...Object.keys(changes)), (one, name) => {
        const signed = signCard(one, signer);
        const change = changes[name as keyof typeof changes];
        expect(refused({ ...signed, [name]: change(signed) })).toMatch(/signature/);
      }),
      { numRuns: 100 },
    );
  });

  test.each(Object.keys(changes))('I1 a change of %s alone breaks the signature', (name) => {
    const change = changes[name as keyof typeof changes];
    expect(refused({ ...card, [name]: change(card) })).toMatch(/signature/);
  });

  test('I1 any changed character of the signature is refused, its last bits included', () => {
    fc.assert(
      fc.property(fc.nat(85), fc.constantFrom(...'ABCDwxyz0189-_'), (at, character) => {
        const signature = card.signature.slice(0, at) + character + card.signature.slice(at + 1);
        if (signature === card.signature) return;
        expect(refused({ ...card, signature })).toMatch(/signature/);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['an unknown field', { ...card, role: 'operator' }],
    ['a missing field', { ...card, agent: undefined }],
    ['another version', { ...card, v: 2 }],
    ['a serial of 0', { ...card, serial: 0 }],
    ['a serial that is no whole number', { ...card, serial: 7.5 }],
    ['a peer that is no token', { ...card, peer: 'a.b' }],
    ['a name of 65 characters', { ...card, name: 'x'.repeat(65) }],
    ['a lone surrogate in the name', { ...card, name: '\ud800' }],
    ['no object', 'card'],
    ['null', null],
  ])('I1 %s is refused', (_, value) => {
    expect(refused(value)).toMatch(/card/);
  });

  test('E13 a card with an unsound key is refused, though its signature is right', () => {
    const zero = signCard({ ...fields, box: toBase64Url(new Uint8Array(32)) }, signer);
    expect(refused(zero)).toMatch(/^card box: .*small order/);
    const smallOrder = encodeNkey(Uint8Array.from([1, ...new Uint8Array(31)]));
    const signature = toBase64Url(Uint8Array.from([1, ...new Uint8Array(63)]));
    expect(refused({ ...card, sign: smallOrder, signature })).toMatch(/^card key: .*small order/);
  });

  test('I1 a card cannot be signed with fields that do not fit', () => {
    expect(() => signCard({ ...fields, name: '' }, signer)).toThrow(/card: name/);
    expect(() => signCard({ ...fields, name: '\udc00' }, signer)).toThrow(/lone surrogate/);
  });
});
