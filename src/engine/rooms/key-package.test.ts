import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import {
  bytes32,
  keyOf,
  otherRoom,
  ownBoxOf,
  plainLabelled,
  room,
  text32,
} from '../../../tests/support/room-key-fixture.ts';
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { RoomKeyPackage } from '../../shared/protocol/room-key-records.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { sealBox } from '../crypto/sealed-box.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import {
  type ExpectedRoomKey,
  openRoomKey,
  type RoomKeyFault,
  type RoomKeySealing,
  sealRoomKey,
} from './key-package.ts';
import { commitRoomKey } from './room-keys.ts';

const randomness = createSystemRandomness();
const { verifier } = createRecordChecks();
/** Author of the epoch, reader, and another member. */
const [ada, bob, eve] = [signerOf(1), signerOf(2), signerOf(3)];
const bobsBox = ownBoxOf(2);
const boxText = (n: number): string => toBase64Url(ownBoxOf(n).publicKey);

const sealing: RoomKeySealing = {
  room,
  epoch: 3,
  rekeyHash: text32(7),
  key: keyOf(1),
  recipient: bob.nkey,
  recipientBox: boxText(2),
  isStep: false,
  issuedAt: 1_800_000_000,
};
const seal = (change: Partial<RoomKeySealing> = {}, signer = ada): RoomKeyPackage =>
  sealRoomKey({ ...sealing, ...change }, { signer, randomness });

const expected: ExpectedRoomKey = {
  room,
  epoch: 3,
  rekeyHash: text32(7),
  authors: new Set([ada.nkey]),
  commit: toBase64Url(commitRoomKey(keyOf(1))),
};
const afterJoin: ExpectedRoomKey = { ...expected, commit: undefined };
const open = (record: RoomKeyPackage, want: ExpectedRoomKey = expected, boxes = [bobsBox]) =>
  openRoomKey(record, { expected: want, recipient: bob.nkey, boxes, verifier });

/** The fields that are signed, written a second time, and the package signed anew by whoever. */
function resign(record: RoomKeyPackage, signer: NkeySigner): RoomKeyPackage {
  const named = { ...record, sender: signer.nkey };
  const message = plainLabelled(
    'vak-room-package-v1',
    named.room,
    named.epoch,
    signer.publicKey,
    signerOf(named.recipient === bob.nkey ? 2 : 3).publicKey,
    fromBase64Url(named.recipientBox, 'box'),
    fromBase64Url(named.rekeyHash, 'hash'),
    runtimePrimitives.sha256(fromBase64Url(named.box, 'box')),
    named.stepCommit === undefined ? undefined : fromBase64Url(named.stepCommit, 'commit'),
  );
  return { ...named, sig: toBase64Url(signer.sign(message)) };
}

/** What stands inside a box; defaults are what the package outside says. */
function innerOf(change: {
  room?: string;
  epoch?: number;
  sender?: number;
  recipient?: number;
  hash?: number;
  at?: number;
}) {
  const { room: inRoom = room, epoch = 3, sender = 1, recipient = 2, hash = 7, at = sealing.issuedAt } = change;
  const keys = [signerOf(sender).publicKey, signerOf(recipient).publicKey] as const;
  return plainLabelled('vak-room-key-v1', inRoom, epoch, bytes32(1), ...keys, bytes32(hash), at);
}
const withInner = (inner: Uint8Array): RoomKeyPackage =>
  resign({ ...seal(), box: toBase64Url(sealBox(inner, bobsBox.publicKey, randomness)) }, ada);

function faultOf(record: RoomKeyPackage, want?: ExpectedRoomKey): RoomKeyFault | 'opened' {
  const opened = open(record, want);
  return opened.kind === 'opened' ? 'opened' : opened.fault;
}

describe('R5 room keys in packages', () => {
  beforeAll(() => sodium.ready);

  test('R5 R29 a key reaches its member, over the wire, with what was said of it', () => {
    const record = decodePayload('vak.keys.package', utf8(JSON.stringify(seal())));
    const opened = open(record);
    if (opened.kind !== 'opened') throw new Error(opened.fault);
    expect(toHex(opened.key.reveal())).toBe('01'.repeat(32));
    expect(opened).toMatchObject({ commit: expected.commit, issuedAt: sealing.issuedAt });
  });

  test('R5 R29 any key of any epoch comes back, after a JOIN too, and 1 KiB holds the package', () => {
    const steps = fc.record({ epoch: fc.nat(), key: fc.nat(255), hash: fc.nat(255), isStep: fc.boolean() });
    fc.assert(
      fc.property(steps, ({ epoch, key, hash, isStep }) => {
        const record = seal({ epoch, key: keyOf(key), rekeyHash: text32(hash), isStep });
        const commit = isStep ? undefined : toBase64Url(commitRoomKey(keyOf(key)));
        const opened = open(record, { ...expected, epoch, rekeyHash: text32(hash), commit });
        expect(opened.kind === 'opened' && toHex(opened.key.reveal())).toBe(toHex(bytes32(key)));
        expect(JSON.stringify(record).length).toBeLessThan(1024);
      }),
      { numRuns: 40 },
    );
  });

  test('R5 R29 libsodium opens the box, and finds the fields in their order; the signature is over its own', () => {
    const record = seal({ isStep: true });
    const box = fromBase64Url(record.box, 'box');
    const inner = sodium.crypto_box_seal_open(box, bobsBox.publicKey, bobsBox.secretKey.reveal());
    expect(toHex(inner)).toBe(toHex(innerOf({})));
    expect(resign(record, ada).sig).toBe(record.sig);
  });

  test.each<[RoomKeyFault, string, RoomKeyPackage]>([
    ['wrong-room', 'of another room', seal({ room: otherRoom })],
    ['wrong-recipient', 'for another member', seal({ recipient: eve.nkey, recipientBox: boxText(3) })],
    ['wrong-epoch', 'of an old epoch', seal({ epoch: 2 })],
    ['wrong-epoch', 'of an epoch to come', seal({ epoch: 4 })],
    ['wrong-entry', 'of another entry', seal({ rekeyHash: text32(8) })],
    ['not-an-author', 'by a member who may not', seal({}, eve)],
    ['not-an-author', "with the author's box, signed by another member", resign(seal(), eve)],
    ['bad-signature', 'with nobody’s signature', { ...seal(), sig: 'A'.repeat(86) }],
    ['bad-signature', 'by another, in the author’s name', { ...seal({}, eve), sender: ada.nkey }],
    ['bad-signature', 'with its box exchanged', { ...seal(), box: seal().box }],
    ['bad-signature', 'sealed again to another box', { ...seal(), recipientBox: boxText(4) }],
    ['misplaced-commitment', 'with a commitment beside the log’s', seal({ isStep: true })],
    ['unknown-box', 'to a box key that is not ours', seal({ recipientBox: boxText(3) })],
    ['wrong-commitment', 'with another K for the same epoch', seal({ key: keyOf(2) })],
  ])('R5 %s: a package %s', (fault, _, record) => {
    expect(faultOf(record)).toBe(fault);
  });

  test('R5 a package for one member does not count for another whose name is put on it', () => {
    const forEve = seal({ recipient: eve.nkey, recipientBox: boxText(3) });
    expect(faultOf({ ...forEve, recipient: bob.nkey })).toBe('bad-signature');
    expect(faultOf({ ...forEve, recipient: bob.nkey, recipientBox: boxText(2) })).toBe('bad-signature');
  });

  test('R5 what was sealed to another box than the one it names does not open', () => {
    const box = toBase64Url(sealBox(innerOf({}), ownBoxOf(9).publicKey, randomness));
    expect(faultOf(resign({ ...seal(), box }, ada))).toBe('does-not-open');
  });

  test('R5 a box under an ephemeral key of small order, which anybody could have sealed, does not open', () => {
    const box = fromBase64Url(seal().box, 'box');
    box.fill(0, 0, 32);
    expect(faultOf(resign({ ...seal(), box: toBase64Url(box) }, ada))).toBe('does-not-open');
  });

  test('R5 inside and outside agree: without a change this box is taken', () => {
    expect(faultOf(withInner(innerOf({})))).toBe('opened');
  });

  test.each([
    ['room', innerOf({ room: otherRoom })],
    ['epoch', innerOf({ epoch: 2 })],
    // What a member makes of a key that another sent it: its own envelope around the other's box.
    ['sender', innerOf({ sender: 3 })],
    ['recipient', innerOf({ recipient: 3 })],
    ['rekeyHash', innerOf({ hash: 8 })],
    ['issuedAt', innerOf({ at: 1 })],
  ])('R5 inside and outside agree: another %s inside is refused by its name', (field, inner) => {
    expect(open(withInner(inner))).toEqual({ kind: 'refused', fault: 'disagrees', field });
  });

  test('R5 a box with anything else in it is refused', () => {
    const label = innerOf({});
    label[0] = 0x77;
    const absentKey = plainLabelled('vak-room-key-v1', room, 3, undefined, bytes32(1), bytes32(2), bytes32(7), 1);
    const shortKey = plainLabelled(
      'vak-room-key-v1',
      room,
      3,
      bytes32(1).subarray(1),
      ada.publicKey,
      bob.publicKey,
      bytes32(7),
      1,
    );
    for (const inner of [label, absentKey, shortKey, Buffer.alloc(214), Buffer.alloc(0)])
      expect(faultOf(withInner(inner))).toBe('bad-inner');
  });

  test('R5 S + L in place of S is no signature', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const record = seal();
    const sig = fromBase64Url(record.sig, 'sig');
    const s = BigInt(`0x${toHex(sig.slice(32).reverse())}`) + order;
    sig.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(), 32);
    expect(faultOf({ ...record, sig: toBase64Url(sig) })).toBe('bad-signature');
  });

  test('R29 after a JOIN the signature covers what the package says of K’, and that must be true', () => {
    const record = seal({ isStep: true });
    expect(record.stepCommit).toBe(expected.commit);
    expect(open(record, afterJoin)).toMatchObject({ kind: 'opened', commit: record.stepCommit });
    const lie = toBase64Url(commitRoomKey(keyOf(2)));
    expect(faultOf({ ...record, stepCommit: lie }, afterJoin)).toBe('bad-signature');
    expect(faultOf(resign({ ...record, stepCommit: lie }, ada), afterJoin)).toBe('wrong-commitment');
    expect(faultOf(seal(), afterJoin)).toBe('misplaced-commitment');
  });

  test('R5 a box key that our card named before still opens, if it is not erased yet', () => {
    const older = ownBoxOf(5);
    const record = seal({ recipientBox: boxText(5) });
    expect(open(record, expected, [bobsBox, older]).kind).toBe('opened');
    older.secretKey.dispose();
    expect(() => open(record, expected, [bobsBox, older])).toThrow(/erased/);
  });

  test('R5 nothing is sealed to a box key of small order', () => {
    expect(() => seal({ recipientBox: text32(0) })).toThrow(/small order/);
  });

  test('R5 no bit of a package can be changed', () => {
    const record = seal({ isStep: true });
    for (const name of ['box', 'sig', 'recipientBox', 'stepCommit'] as const) {
      const bytes = fromBase64Url(record[name] ?? '', name);
      for (let at = 0; at < bytes.length; at += 7) {
        const changed = toBase64Url(bytes.with(at, (bytes[at] ?? 0) ^ 4));
        expect(faultOf({ ...record, [name]: changed }, afterJoin)).not.toBe('opened');
      }
    }
  });
});
