import { afterEach, expect, it } from 'vitest';
import { boxOf, cardWith, grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { encodeNkeySeed } from './nkey.ts';
import { type OwnCredentials, takeCredentials } from './own-credentials.ts';
import type { PeerCredentials } from './peer-credentials.ts';

const bytesOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const self = { workspace: 'acme', peer: 'ada' };
let taken: OwnCredentials | undefined;

afterEach(() => {
  taken?.dispose();
  taken = undefined;
});

function credentials(change: Partial<PeerCredentials> = {}): PeerCredentials {
  return {
    signSeed: encodeNkeySeed(bytesOf(1)).reveal().slice(),
    boxSecret: bytesOf(1),
    card: cardWith(),
    grant: grantWith(),
    rootPublic: root.nkey,
    secrets: [
      { id: 's1', secret: bytesOf(9), state: 'active', openOnlyUntilMs: null },
      { id: 's0', secret: bytesOf(8), state: 'open-only', openOnlyUntilMs: 5 },
    ],
    ended: [],
    ...change,
  };
}

const arraysOf = ({ signSeed, boxSecret, secrets }: PeerCredentials): Uint8Array[] => [
  signSeed,
  boxSecret,
  ...secrets.map(({ secret }) => secret),
];

it('I3 credentials that fit are taken, sign as their card says, and are erased at the end', () => {
  const given = credentials();
  taken = takeCredentials(given, self);
  expect(taken.signer.nkey).toBe(given.card.sign);
  expect(taken.secrets.secrets().map(({ id, state, secret }) => [id, state, secret.length])).toEqual([
    ['s1', 'active', 32],
    ['s0', 'open-only', 32],
  ]);
  expect(JSON.stringify(taken)).not.toContain(Buffer.from(given.signSeed).toString());
  const { boxSecret } = taken;
  taken.dispose();
  expect(arraysOf(given).every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
  expect(() => boxSecret.reveal()).toThrow(/erased/);
});

const otherSeed = (): Uint8Array => encodeNkeySeed(bytesOf(2)).reveal().slice();

it.each<readonly [string, Partial<PeerCredentials>, RegExp]>([
  ['another peer’s card', { card: cardWith({ peer: 'bob' }) }, /the name does not fit/],
  ['another peer’s grant', { grant: grantWith({ peer: 'bob' }) }, /the name does not fit/],
  ['a card of another workspace', { card: cardWith({ ws: 'other' }) }, /the name does not fit/],
  ['a grant of another workspace', { grant: grantWith({ ws: 'other' }) }, /the name does not fit/],
  ['another signing key', { signSeed: otherSeed() }, /the signing key does not fit/],
  ['a card of another key', { card: cardWith({}, signerOf(2)) }, /the signing key does not fit/],
  ['a grant to another key', { grant: grantWith({ sign: signerOf(2).nkey }) }, /the signing key does not fit/],
  ['another box key', { boxSecret: bytesOf(3) }, /the box key does not fit/],
  ['a card with another box key', { card: cardWith({ box: boxOf(3) }) }, /the box key does not fit/],
  ['another root', { rootPublic: signerOf(7).nkey }, /grant: its signature/],
  ['a grant that another root signed', { grant: grantWith({}, signerOf(7)) }, /grant: its signature/],
  ['a root that is no key', { rootPublic: 'UNOKEY' }, /./],
  [
    'a card whose signature is another’s',
    { card: { ...cardWith(), signature: cardWith({ serial: 2 }).signature } },
    /card: its/,
  ],
  ['a grant that was changed', { grant: { ...grantWith(), roles: ['operator'] } }, /grant: its signature/],
  ['a seed that is none', { signSeed: bytesOf(65) }, /./],
  ['a box key that is too short', { boxSecret: new Uint8Array(31).fill(1) }, /./],
])('I3 %s is refused with what does not fit, and all that came is erased', (_, change, text) => {
  const given = credentials(change);
  const before = arraysOf(given).map((bytes) => Buffer.from(bytes).toString('latin1'));
  try {
    takeCredentials(given, self);
    expect.unreachable();
  } catch (error) {
    if (!isVakError(error)) throw error;
    expect(['invalid-input', 'invalid-payload']).toContain(error.code);
    expect(error.message).toMatch(text);
    for (const secret of before) expect(JSON.stringify(error.toShape())).not.toContain(secret);
  }
  expect(arraysOf(given).every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
});

it('I3 credentials of another peer or workspace than the configured one are refused', () => {
  expect(() => takeCredentials(credentials(), { ...self, peer: 'bob' })).toThrow(/credentials of bob: the name/);
  expect(() => takeCredentials(credentials(), { ...self, workspace: 'other' })).toThrow(/the name does not fit/);
});
