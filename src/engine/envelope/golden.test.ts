import { describe, expect, test } from 'vitest';
import { entryOf, goldenEnvelope, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { toHex, toText, utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { aadFieldsOf, aadOf } from '../../shared/protocol/envelope-aad.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { leafInput } from '../../shared/protocol/leaf-input.ts';
import { createNoncePool } from '../crypto/nonce-pool.ts';
import { secretFromText } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';
import { sealGcm } from './gcm-cipher.ts';
import { leafOf, payloadHashOf } from './hashing.ts';
import { createEnvelopeOpener } from './open-envelope.ts';

/** A generator whose every 12 bytes are the golden nonce. */
const goldenRandomness: Randomness = { bytes: (length) => Uint8Array.from({ length }, (_, index) => index % 12) };

const secret = secretFromText('super-secret-workspace-key-2026');
const { registry } = playSecrets([entryOf('env', { secret })], { aliases: new Map([['key_v1', 'env']]) });

function goldenKey() {
  const found = registry.keyFor('key_v1', 'agent_456');
  if (found.kind === 'failed') throw new Error(found.failure.why);
  return found.key;
}

/** The golden envelope, sealed as a sender does it. */
function sealGolden(): Envelope {
  const nonce = createNoncePool(goldenRandomness).next();
  const { data } = goldenEnvelope;
  const bytes = data.kind === 'bytes' ? data.bytes : new Uint8Array(0);
  const sealed = sealGcm({ key: goldenKey(), nonce, aad: utf8(aadOf(goldenEnvelope)), bytes });
  const envelope: Envelope = {
    ...goldenEnvelope,
    datacontenttype: 'application/octet-stream',
    data: { kind: 'bytes', bytes: sealed },
    seal: { encalg: 'AES-256-GCM', keyid: 'key_v1', nonce: toHex(nonce) },
  };
  return { ...envelope, payloadhash: payloadHashOf(envelope) };
}

const dataHex = ({ data }: Envelope): string => (data.kind === 'bytes' ? toHex(data.bytes) : data.kind);

describe('E6 golden values', () => {
  test('E6 the key', () => {
    expect(goldenKey().export().toString('hex')).toBe(
      '3183d549202b40d46513f8fdd026b7750d92b3f7344e8de82f28b05f8408c020',
    );
  });

  test('E6 the AAD, whole and field by field', () => {
    expect(aadOf(goldenEnvelope)).toBe('0197a3c0-0000-7000-8000-000000000001:vak.work.task:ws_123:1');
    expect(aadFieldsOf(goldenEnvelope).map(({ name, value }) => `${name}=${value}`)).toEqual([
      'id=0197a3c0-0000-7000-8000-000000000001',
      'type=vak.work.task',
      'workspaceid=ws_123',
      'seqnum=1',
    ]);
  });

  test('E6 the sealed bytes, with the nonce from injected randomness', () => {
    const sealed = sealGolden();
    expect(sealed.seal?.nonce).toBe('000102030405060708090a0b');
    expect(dataHex(sealed)).toBe(
      '06b0d252a9e5ab6fc9c60ad61d06d5e98e02d4c398288c9b0455f03db39e2168770dc773a46cd940642e5cbadf96787ccfc598bd20afbf',
    );
  });

  test('E6 round trip: the golden bytes open to the golden payload, from the wire', () => {
    const envelope = decodeEnvelope(encodeEnvelope(sealGolden()));
    const opened = createEnvelopeOpener({ registry, workspace: 'ws_123' }).open(envelope);
    expect(opened.kind === 'opened' && toText(opened.bytes)).toBe('{"command":"cargo build","exit_code":0}');
  });
});

describe('E10 golden values', () => {
  test('E10 payload hash, plain and sealed', () => {
    expect(payloadHashOf(goldenEnvelope)).toBe('1cb55820e73518961335cd72f31447276ffe621c21813ca726099297908d0af6');
    expect(payloadHashOf(sealGolden())).toBe('abcb71beb11b6fb25224e1b62f5800f307dae0e924e38bcea22ff475ac122690');
  });

  test('E10 leaf, plain and sealed', () => {
    expect(leafOf(goldenEnvelope)).toBe('187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8');
    expect(leafOf(sealGolden())).toBe('34e13c659c7c080491d201e05831806bdc4cd1443a3f33404613c5e0dea98535');
  });

  test('E10 sequence 124, whose raw bytes hold the byte of "|", and one that is full of it', () => {
    expect(leafOf({ ...goldenEnvelope, seqnum: 124 })).toBe(
      'e4f2d1ccb46e6f1c8286975a1ddbfa72e353250b4aa3ebed2f0e65f264f1b585',
    );
    const input = Buffer.from(leafInput({ ...goldenEnvelope, seqnum: 124 }));
    expect(input.includes(Buffer.from('7c000000000000007c7c', 'hex'))).toBe(true);
    expect(leafOf({ ...goldenEnvelope, seqnum: 0x7c7c7c })).toBe(
      'e62ef8c025759782aa04691087c15c0389a845fcc75d59d7607cceccb3fdd115',
    );
  });

  test.each([
    ['2026-01-02T03:04:05Z', '603a6c858b7e2eac7b2d9e6763b297d2f8e9b62b199b714d6c537fe956c1c0c3'],
    ['2026-01-02T03:04:05.000Z', '603a6c858b7e2eac7b2d9e6763b297d2f8e9b62b199b714d6c537fe956c1c0c3'],
    ['2026-01-02T03:04:05.1Z', 'f526dc2fb81edcf8ac8ff3996d2ff7ff3023c9d30459dc27e62b1d633e2e86ec'],
    ['2026-01-02T03:04:05.100000000Z', 'f526dc2fb81edcf8ac8ff3996d2ff7ff3023c9d30459dc27e62b1d633e2e86ec'],
    ['2026-01-02T03:04:05.123Z', '8f02c00a0912449611ff746fab723273eabe4eacf69c3c08d7cc76621f22b685'],
    ['2026-01-02T03:04:05.1234Z', 'a500d4c40ebdfe8b5ec504b16fc5045e0b2dbe6e6de890b88c1745e43a0a5b3f'],
    ['2026-01-02T03:04:05.123456Z', '15fff95f800251e9c4449bd44da1ef464241083773ff22f03b2d5545778c4e24'],
    ['2026-01-02T03:04:05.000000001Z', 'eba3e6616965cb169ee8a25a6587c92384ee538432e0fef4034a4660269ae51e'],
    ['2026-01-02T03:04:05.123456789Z', '187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8'],
  ])('E10 the leaf at %s', (time, leaf) => {
    expect(leafOf({ ...goldenEnvelope, time })).toBe(leaf);
  });
});
