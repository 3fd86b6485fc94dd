/** Test vectors of the protocol (docs/spec/vectors.json), as the product computes them of fixed inputs. */

import { runtimePrimitives } from '../../src/engine/crypto/runtime-primitives.ts';
import { deriveX25519PublicKey } from '../../src/engine/crypto/x25519.ts';
import { signEnvelope } from '../../src/engine/envelope/envelope-signature.ts';
import { leafOf, payloadHashOf } from '../../src/engine/envelope/hashing.ts';
import { signCard } from '../../src/engine/identity/cards.ts';
import { signGrant } from '../../src/engine/identity/grants.ts';
import { createNkeySigner, encodeNkeySeed } from '../../src/engine/identity/nkey.ts';
import { safetyNumber } from '../../src/engine/identity/safety-number.ts';
import { createSecret } from '../../src/engine/identity/secret.ts';
import { countedNonce } from '../../src/engine/rooms/counted-nonce.ts';
import { roomEntryHash, roomEntryMessage, signRoomCreate, signRoomEntry } from '../../src/engine/rooms/room-entry.ts';
import { sealFrame } from '../../src/engine/rooms/room-frame.ts';
import { commitRoomKey, deriveFrameKey, deriveMediaKey, stepRoomKey } from '../../src/engine/rooms/room-keys.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import { toHex, utf8 } from '../../src/shared/base/bytes.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { aadOf } from '../../src/shared/protocol/envelope-aad.ts';
import { encodeEnvelope } from '../../src/shared/protocol/envelope-codec.ts';
import { type LabelledField, labelledFields } from '../../src/shared/protocol/labelled-fields.ts';
import { leafInput, leafTime } from '../../src/shared/protocol/leaf-input.ts';
import { padBytes } from '../../src/shared/protocol/padded-bytes.ts';
import { encodeRoomContent } from '../../src/shared/protocol/room-content.ts';
import { frameAad } from '../../src/shared/protocol/room-frame-input.ts';
import { mediaChunkAad } from '../../src/shared/protocol/room-media.ts';
import { signatureInput } from '../../src/shared/protocol/signature-input.ts';
import { matches, overlaps } from '../../src/shared/protocol/subject.ts';
import { parseTraceparent } from '../../src/shared/protocol/trace-context.ts';
import { goldenEnvelope } from './envelope-fixture.ts';

const repeated = (byte: number, length = 32): Uint8Array => new Uint8Array(length).fill(byte);
const signer = (byte: number) => createNkeySigner(encodeNkeySeed(repeated(byte)));

/** A field as JSON can say it: bytes as `{hex}`, absent as null. */
type Written = string | number | boolean | null | { readonly hex: string } | readonly Written[];

function fieldOf(written: Written): LabelledField {
  if (written === null) return undefined;
  if (Array.isArray(written)) return written.map(fieldOf);
  if (typeof written === 'object') return Uint8Array.from(Buffer.from((written as { hex: string }).hex, 'hex'));
  return written as string | number | boolean;
}

const labelled: readonly (readonly [label: string, fields: readonly Written[]])[] = [
  ['vak-example-v1', []],
  ['vak-example-v1', ['']],
  ['vak-example-v1', ['abc', { hex: '00ff' }]],
  ['vak-example-v1', [null, 0, 1, 9007199254740991, true, false]],
  ['vak-example-v1', [['a', ['b', null], []], 'ü', '𝄞']],
];

const times = [
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.000Z',
  '2026-01-02T03:04:05.120Z',
  '2026-01-02T03:04:05.1200Z',
  '2026-01-02T03:04:05.000001Z',
  '2026-01-02T03:04:05.123456789Z',
];

const traceparents = [
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-has',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.x',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
];

const patterns: readonly (readonly [string, string])[] = [
  ['vak.events.*.*.tokens', 'vak.events.ws.s.tokens'],
  ['vak.events.>', 'vak.events'],
  ['vak.events.>', 'vak.events.ws'],
  ['vak.*.ws', 'vak.a.b.ws'],
  ['>', 'vak'],
];

const overlapping: readonly (readonly [string, string])[] = [
  ['vak.*.ws', 'vak.work.>'],
  ['vak.*.ws', 'vak.work.other'],
  ['vak.work.>', 'vak.work'],
  ['*.b', 'a.*'],
];

function envelopes() {
  const key = runtimePrimitives.hkdfSha256({
    ikm: utf8('super-secret-workspace-key-2026'),
    salt: utf8('vak-bus-hkdf-salt-v1'),
    info: utf8('vak-bus-aes-256-gcm-s1.ada.20260102.b0'),
    length: 32,
  });
  const author = signer(1);
  const whole: Envelope = {
    ...goldenEnvelope,
    source: 'vak://ws_123/ada/s-q',
    subject: 'vak.work.ws_123.builds.task',
    traceparent: traceparents[0],
    agentid: 'ada',
    sessionid: 's-q',
    seqnum: 0,
  };
  const plain = utf8('{"command":["cargo","build"]}');
  const nonce = Uint8Array.from({ length: 12 }, (_, index) => index);
  const aad = aadOf(whole);
  const sealed = runtimeSeal(key, nonce, aad, plain);
  const unsigned: Envelope = {
    ...whole,
    datacontenttype: 'application/octet-stream',
    data: { kind: 'bytes', bytes: sealed },
    seal: { encalg: 'AES-256-GCM', keyid: 's1.ada.20260102.b0', nonce: toHex(nonce) },
  };
  const hashed = { ...unsigned, payloadhash: payloadHashOf(unsigned) };
  const signed = signEnvelope(hashed, author);
  const leaf = leafOf(signed);
  return {
    secret: 'super-secret-workspace-key-2026',
    keyid: 's1.ada.20260102.b0',
    key: toHex(key),
    plain: toHex(plain),
    aad,
    nonce: toHex(nonce),
    sealed: toHex(sealed),
    leafInput: toHex(leafInput(signed)),
    leaf,
    signerSeed: toHex(repeated(1)),
    signatureInput: toHex(signatureInput(signed, leaf)),
    json: JSON.parse(Buffer.from(encodeEnvelope(signed)).toString('utf8')) as unknown,
  };
}

function runtimeSeal(key: Uint8Array, nonce: Uint8Array, aad: string, text: Uint8Array): Uint8Array {
  return runtimePrimitives.aes256Gcm.seal({ key, nonce, aad: utf8(aad), text });
}

function identity() {
  const box = toBase64Url(deriveX25519PublicKey(repeated(7)));
  const card = signCard(
    {
      ...{ ws: 'ws_123', peer: 'ada', kind: 'human', agent: false, name: 'Ada' },
      ...{ box, boxExpiresAt: 1_800_000_000, serial: 3 },
    },
    signer(1),
  );
  const grant = signGrant(
    {
      ...{ ws: 'ws_123', peer: 'ada', sign: signer(1).nkey, roles: ['human', 'operator'], queues: [] },
      ...{ serial: 4, notAfter: 1_800_000_000 },
    },
    signer(9),
  );
  return {
    seeds: { ada: toHex(repeated(1)), bob: toHex(repeated(2)), root: toHex(repeated(9)) },
    nkeys: { ada: signer(1).nkey, bob: signer(2).nkey, root: signer(9).nkey },
    card,
    grant,
    safetyNumber: safetyNumber({ peer: 'ada', sign: signer(1).nkey }, { peer: 'bob', sign: signer(2).nkey }),
  };
}

function rooms() {
  const key = () => createSecret(repeated(0x41));
  const commit = toBase64Url(commitRoomKey(key()));
  const create = { type: 'CREATE', nonce: toBase64Url(repeated(3, 16)), peer: 'ada', name: 'Ops', topic: '' } as const;
  const { room, entry } = signRoomCreate({ ...create, history: 'joined', commit }, signer(1));
  const message = roomEntryMessage(entry);
  const createHash = roomEntryHash(message);
  const invite = signRoomEntry(
    {
      ...{ room, n: 1, epoch: 0, prevHash: createHash, subject: signer(2).nkey },
      body: { type: 'INVITE', peer: 'bob', role: 'member' },
    },
    signer(1),
  );
  const inviteHash = roomEntryHash(roomEntryMessage(invite));
  const join = signRoomEntry(
    { room, n: 2, epoch: 1, prevHash: inviteHash, body: { type: 'JOIN', peer: 'bob' } },
    signer(2),
  );
  const joinHash = roomEntryHash(roomEntryMessage(join));
  const stepped = stepRoomKey(key(), Uint8Array.from(Buffer.from(joinHash, 'base64url')));
  const place = {
    ...{ room, epoch: 0, sender: 'ada', boot: toBase64Url(repeated(4, 16)), counter: 5 },
    ...{ messageId: '0197a3c0-0000-7000-8000-000000000002', n: 0, head: createHash },
  };
  const content = { kind: 'text', text: 'hello' } as const;
  const frame = sealFrame(place, content, { roomKey: key(), signer: signer(1) });
  const salt = toBase64Url(repeated(6));
  const mediaKey = deriveMediaKey(key(), salt);
  const chunk = runtimePrimitives.chacha20Poly1305.seal({
    ...{ key: mediaKey.reveal(), nonce: countedNonce(0), text: utf8('a file'), aad: mediaChunkAad(0, true) },
  });
  return {
    key: toHex(repeated(0x41)),
    commit,
    create: { entry, message: toHex(message), hash: createHash, room },
    invite: { entry: invite, hash: inviteHash },
    join: { entry: join, hash: joinHash, steppedKey: toHex(stepped.reveal()) },
    frame: {
      content,
      padded: toHex(padBytes(encodeRoomContent(content))),
      aad: toHex(frameAad({ ...place, kind: 'text' })),
      key: toHex(deriveFrameKey(key(), place).reveal()),
      json: frame,
    },
    chunk: {
      salt,
      text: toHex(utf8('a file')),
      index: 0,
      last: true,
      key: toHex(mediaKey.reveal()),
      sealed: toHex(chunk),
    },
  };
}

/** All of them, by the rules that they belong to. */
export function computeVectors() {
  return {
    labelled: labelled.map(([label, fields]) => {
      return { label, fields, bytes: toHex(labelledFields(label, fields.map(fieldOf))) };
    }),
    leafTimes: times.map((time) => ({ time, printed: leafTime(time) })),
    traceparents: traceparents.map((text) => ({ text, isValid: parseTraceparent(text) !== undefined })),
    matches: patterns.map(([pattern, subject]) => ({ pattern, subject, matches: matches(pattern, subject) })),
    overlaps: overlapping.map(([left, right]) => ({ left, right, overlaps: overlaps(left, right) })),
    envelope: envelopes(),
    identity: identity(),
    room: rooms(),
  };
}
