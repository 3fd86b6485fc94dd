/** docs/spec/vectors.json: what the product computes, and what a second implementation makes of it, written here from the protocol alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gcm } from '@noble/ciphers/aes.js';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { expect, test } from 'vitest';
import { computeVectors } from './support/protocol-vectors.ts';
import { projectRoot } from './support/scratch-tree.ts';

type Vectors = ReturnType<typeof computeVectors>;
const vectors = JSON.parse(readFileSync(join(projectRoot, 'docs/spec/vectors.json'), 'utf8')) as Vectors;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const url = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const toUrl = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const concat = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

function be(value: bigint, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => Number((value >> BigInt(8 * (bytes - 1 - at))) & 255n));
}

/** `L`: a field is text, bytes, a number, a boolean, null or a list. */
function fields(list: readonly unknown[]): Uint8Array {
  const one = (field: unknown): Uint8Array => {
    if (field === null || field === undefined) return hex('ffffffff');
    const bytes =
      field instanceof Uint8Array
        ? field
        : Array.isArray(field)
          ? fields(field)
          : typeof field === 'string'
            ? utf8(field)
            : be(BigInt(field as number | boolean), 8);
    return concat(be(BigInt(bytes.length), 4), bytes);
  };
  return concat(...list.map(one));
}
const labelled = (label: string, list: readonly unknown[]): Uint8Array => concat(utf8(label), hex('00'), fields(list));

const written = (field: unknown): unknown => {
  if (Array.isArray(field)) return field.map(written);
  return typeof field === 'object' && field !== null ? hex((field as { hex: string }).hex) : field;
};

/** The key in an nkey: base32 of a byte for its kind, 32 bytes, and a checksum of two. */
function keyOf(nkey: string): Uint8Array {
  const bits = [...nkey].map((one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'));
  const all = bits.join('');
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(all.slice(8 * at + 8, 8 * at + 16), 2));
}

const isSigned = (signature: string, message: Uint8Array, key: Uint8Array): boolean =>
  ed25519.verify(url(signature), message, key);

test('E13 the vectors are what the product computes', () => {
  expect(JSON.parse(JSON.stringify(computeVectors()))).toEqual(vectors);
});

test('E13 a second implementation gets the same bytes for fields under a label', () => {
  for (const { label, fields: list, bytes } of vectors.labelled)
    expect(toHex(labelled(label, list.map(written)))).toBe(bytes);
});

test('E6 E10 E13 a second implementation opens the envelope, computes its leaf and verifies its signature', () => {
  const { secret, keyid, key, nonce, aad, plain, sealed, leafInput, leaf, json, signerSeed, signatureInput } =
    vectors.envelope;
  const derived = hkdf(sha256, utf8(secret), utf8('vak-bus-hkdf-salt-v1'), utf8(`vak-bus-aes-256-gcm-${keyid}`), 32);
  expect(toHex(derived)).toBe(key);
  expect(toHex(gcm(derived, hex(nonce), utf8(aad)).decrypt(hex(sealed)))).toBe(plain);

  const of = json as Record<string, string>;
  expect(aad).toBe([of['id'], of['type'], of['workspaceid'], of['seqnum']].join(':'));
  expect(Buffer.from(of['data_base64'] ?? '', 'base64').toString('hex')).toBe(sealed);
  expect(of['payloadhash']).toBe(toHex(sha256(hex(sealed))));
  const head = ['1.0', of['id'], of['source'], of['type'], of['time']?.replace('Z', '+00:00'), of['workspaceid']];
  const input = concat(
    utf8(`${head.join('|')}|${of['agentid']}|`),
    be(BigInt(of['seqnum'] ?? ''), 8),
    utf8(`|${of['prevhash']}|${of['payloadhash']}`),
  );
  expect([toHex(input), toHex(sha256(input))]).toEqual([leafInput, leaf]);

  const message = labelled('vak-envelope-sig-v1', [
    ...[hex(leaf), of['subject'], of['datacontenttype'], of['sessionid'], of['parentagentid'], of['causationid']],
    ...[of['resumes'], of['traceparent'], of['tracestate'], of['encalg'], of['keyid'], hex(of['nonce'] ?? '')],
  ]);
  expect(toHex(message)).toBe(signatureInput);
  const signer = keyOf(of['signer'] ?? '');
  expect(toHex(signer)).toBe(toHex(ed25519.getPublicKey(hex(signerSeed))));
  expect(isSigned(of['signature'] ?? '', message, signer)).toBe(true);
});

test('I1 I2 I4 a second implementation verifies card and grant, and reads the safety number', () => {
  const { card, grant, nkeys, seeds, safetyNumber } = vectors.identity;
  for (const name of ['ada', 'bob', 'root'] as const)
    expect(toHex(keyOf(nkeys[name]))).toBe(toHex(ed25519.getPublicKey(hex(seeds[name]))));
  const cardInput = labelled('vak-card-v1', [
    ...[card.ws, card.peer, card.kind, card.agent, card.name],
    ...[keyOf(card.sign), url(card.box), card.boxExpiresAt, card.serial],
  ]);
  expect(isSigned(card.signature, cardInput, keyOf(nkeys.ada))).toBe(true);
  const { ws, peer, sign, roles, queues, serial, notAfter } = grant;
  const grantInput = labelled('vak-grant-v1', [ws, peer, keyOf(sign), roles, queues, serial, notAfter]);
  expect(isSigned(grant.signature, grantInput, keyOf(nkeys.root))).toBe(true);

  const half = (name: 'ada' | 'bob'): string => {
    const key = keyOf(nkeys[name]);
    let digest = labelled('vak-safety-v1', [key, name]);
    for (let round = 0; round < 5_200; round++) digest = sha512(concat(digest, key));
    return [0, 1, 2, 3, 4, 5]
      .map((at) => String(Number.parseInt(toHex(digest.slice(5 * at, 5 * at + 5)), 16) % 100_000).padStart(5, '0'))
      .join('');
  };
  expect([half('ada'), half('bob')].sort().join('')).toBe(safetyNumber);
});

test('R1 R4 R7 R12 a second implementation follows the log, derives the keys, and opens frame and chunk', () => {
  const { key, commit, create, invite, join: joined, frame, chunk } = vectors.room;
  const derive = (salt: Uint8Array, info: Uint8Array): Uint8Array => hkdf(sha256, hex(key), salt, info, 32);
  expect(toUrl(derive(new Uint8Array(0), utf8('vak-room-commit-v1')))).toBe(commit);

  const bodies: [typeof create.entry, readonly unknown[]][] = [
    [create.entry, ['CREATE', new Uint8Array(16).fill(3), 'ada', 'Ops', '', 'joined', url(commit)]],
    [invite.entry, ['INVITE', 'bob', 'member']],
    [joined.entry, ['JOIN', 'bob']],
  ];
  const hashes = bodies.map(([entry, body]) => {
    const subject = entry.subject === undefined ? null : keyOf(entry.subject);
    const message = labelled('vak-room-log-v1', [
      ...[1, entry.room, entry.n, entry.epoch, url(entry.prevHash), keyOf(entry.actor), subject, body],
    ]);
    expect(isSigned(entry.sig, message, keyOf(entry.actor)), `entry ${entry.n}`).toBe(true);
    return toUrl(sha256(message));
  });
  expect(hashes).toEqual([create.hash, invite.hash, joined.hash]);
  expect([invite.entry.prevHash, joined.entry.prevHash]).toEqual(hashes.slice(0, 2));
  const bits = [...url(create.hash)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  expect(
    Array.from({ length: 26 }, (_, at) => letters[Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)]).join(''),
  ).toBe(create.room);
  const step = labelled('vak-room-step-v1', [url(joined.hash)]);
  expect(toHex(derive(new Uint8Array(0), step))).toBe(joined.steppedKey);

  const { room, epoch, sender, boot, counter, messageId, kind, n, head, ct, sig } = frame.json;
  const frameKey = derive(utf8(room), labelled('vak-room-msg-v1', [epoch, sender, url(boot)]));
  const place = [room, epoch, sender, url(boot), counter, messageId, kind, n, url(head)];
  const aad = labelled('vak-room-aad-v1', place);
  expect([toHex(frameKey), toHex(aad)]).toEqual([frame.key, frame.aad]);
  const nonceOf = (count: number): Uint8Array => concat(new Uint8Array(4), be(BigInt(count), 8));
  expect(toHex(chacha20poly1305(frameKey, nonceOf(counter), aad).decrypt(url(ct)))).toBe(frame.padded);
  const frameInput = labelled('vak-room-frame-v1', [aad, sha256(url(ct))]);
  expect(isSigned(sig, frameInput, keyOf(create.entry.actor))).toBe(true);

  const fileKey = derive(url(chunk.salt), utf8('vak-room-media-v1'));
  expect(toHex(fileKey)).toBe(chunk.key);
  const chunkAad = labelled('vak-room-chunk-v1', [chunk.index, chunk.last]);
  expect(toHex(chacha20poly1305(fileKey, nonceOf(0), chunkAad).decrypt(hex(chunk.sealed)))).toBe(chunk.text);
});
