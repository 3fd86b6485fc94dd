import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { roles } from '../../shared/protocol/roles.ts';
import { type GrantFields, signGrant, verifyGrant } from './grants.ts';
import { createNkeySigner, encodeNkey, encodeNkeySeed } from './nkey.ts';
import { createRecordChecks } from './signed-record.ts';

const checks = createRecordChecks();
const keyOf = (n: number) => createNkeySigner(encodeNkeySeed(new Uint8Array(32).fill(n)));
const root = keyOf(1);
const otherRoot = keyOf(2);
const peer = keyOf(3);
const fields: GrantFields = {
  ws: 'acme',
  peer: 'w1',
  sign: peer.nkey,
  roles: ['worker', 'observer'],
  queues: ['builds', 'tests'],
  serial: 3,
  notAfter: 0,
};
const grant = signGrant(fields, root);

const refused = (value: unknown, rootPublic = root.nkey): string =>
  refusal(() => verifyGrant(value, rootPublic, checks), 'invalid-payload').message;

const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const anyFields: fc.Arbitrary<GrantFields> = fc.record({
  ws: tokens,
  peer: tokens,
  sign: fc.integer({ min: 3, max: 200 }).map((n) => keyOf(n).nkey),
  roles: fc.shuffledSubarray([...roles]),
  queues: fc.array(tokens, { maxLength: 4 }),
  serial: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  notAfter: fc.nat(),
});

const changes: { [F in keyof GrantFields]: (grant: Grant) => Grant[F] } = {
  ws: ({ ws }) => `${ws}x`,
  peer: ({ peer: name }) => `${name}x`,
  sign: ({ sign }) => (sign === keyOf(201).nkey ? keyOf(202).nkey : keyOf(201).nkey),
  roles: ({ roles: held }) => (held.length > 0 ? held.slice(1) : ['operator']),
  queues: ({ queues }) => [...queues, 'other'],
  serial: ({ serial }) => (serial > 1 ? serial - 1 : serial + 1),
  notAfter: ({ notAfter }) => notAfter + 1,
};

describe('I4 grants', () => {
  test('I4 what root signed verifies, after JSON too', () => {
    fc.assert(
      fc.property(anyFields, (one) => {
        const signed = signGrant(one, root);
        expect(verifyGrant(JSON.parse(JSON.stringify(signed)), root.nkey, checks)).toEqual({
          v: 1,
          ...one,
          signature: signed.signature,
        });
      }),
      { numRuns: 40 },
    );
  });

  test('I4 its bytes under the signature are those of the protocol', () => {
    const field = (hex: string): string => (hex.length / 2).toString(16).padStart(8, '0') + hex;
    const text = (value: string): string => field(Buffer.from(value).toString('hex'));
    const u64 = (n: number): string => field(n.toString(16).padStart(16, '0'));
    const message =
      Buffer.from('vak-grant-v1\0').toString('hex') +
      text('acme') +
      text('w1') +
      field(Buffer.from(peer.publicKey).toString('hex')) +
      field(text('worker') + text('observer')) +
      field(text('builds') + text('tests')) +
      u64(3) +
      u64(0);
    const signature = ed25519.sign(Buffer.from(message, 'hex'), new Uint8Array(32).fill(1));
    expect(grant.signature).toBe(toBase64Url(signature));
  });

  test('I4 a change of any one field breaks the signature', () => {
    fc.assert(
      fc.property(anyFields, fc.constantFrom(...Object.keys(changes)), (one, name) => {
        const signed = signGrant(one, root);
        const change = changes[name as keyof typeof changes];
        expect(refused({ ...signed, [name]: change(signed) })).toMatch(/signature/);
      }),
      { numRuns: 100 },
    );
  });

  test.each(Object.keys(changes))('I4 a change of %s alone breaks the signature', (name) => {
    const change = changes[name as keyof typeof changes];
    expect(refused({ ...grant, [name]: change(grant) })).toMatch(/signature/);
  });

  test('I4 the order of roles and of queues is signed, and a queue is no role', () => {
    expect(refused({ ...grant, roles: [...grant.roles].reverse() })).toMatch(/signature/);
    expect(refused({ ...grant, queues: [...grant.queues].reverse() })).toMatch(/signature/);
    const moved = signGrant({ ...fields, roles: ['worker'], queues: ['bot'] }, root);
    expect(refused({ ...moved, roles: ['worker', 'bot'], queues: [] })).toMatch(/signature/);
  });

  test('I4 a grant signed by another root, or by the peer itself, is refused', () => {
    expect(refused(signGrant(fields, otherRoot))).toMatch(/signature/);
    expect(refused(signGrant(fields, peer))).toMatch(/signature/);
    expect(refused(grant, otherRoot.nkey)).toMatch(/signature/);
    expect(verifyGrant(signGrant(fields, otherRoot), otherRoot.nkey, checks).peer).toBe('w1');
  });

  test.each([
    ['an unknown field', { ...grant, note: '' }],
    ['an unknown role', { ...grant, roles: ['root'] }],
    ['a missing field', { ...grant, notAfter: undefined }],
    ['another version', { ...grant, v: 0 }],
    ['a queue that is no token', { ...grant, queues: ['a b'] }],
    ['a key of another kind', { ...grant, sign: `A${grant.sign.slice(1)}` }],
    [
      'a key with a wrong checksum',
      { ...grant, sign: `${grant.sign.slice(0, -1)}${grant.sign.endsWith('A') ? 'B' : 'A'}` },
    ],
    ['a list', [grant]],
  ])('I4 %s is refused', (_, value) => {
    expect(refused(value)).toMatch(/grant/);
  });

  test('E13 root cannot make an unsound key count', () => {
    const sign = encodeNkey(Uint8Array.from([1, ...new Uint8Array(31)]));
    expect(refused(signGrant({ ...fields, sign }, root))).toMatch(/^grant sign: .*small order/);
  });
});
