import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf, goldenEnvelope, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createEnvelopeSealer, type EnvelopeSealer } from './envelope-sealer.ts';
import { createEnvelopeOpener } from './open-envelope.ts';

const fields = { ...goldenEnvelope, workspaceid: 'acme', agentid: 'ada' };

function sealerOf(options: { readonly peer?: string; readonly seed?: number; readonly maxMessages?: number } = {}) {
  const { peer = 'ada', seed = 3, ...rest } = options;
  const clock = createFakeClock();
  const secrets = playSecrets([entryOf('s1')], { clock });
  const randomness = createSeededRandomness(seed);
  const sealer = createEnvelopeSealer({ registry: secrets.registry, peer, clock, randomness, ...rest });
  return { clock, secrets, sealer, keyId: () => sealer.seal(fields, utf8('x')).seal.keyid };
}

function sealed(sealer: EnvelopeSealer, payload: Uint8Array): Envelope {
  const { seal, sealed: bytes } = sealer.seal(fields, payload);
  return { ...fields, seal, data: { kind: 'bytes', bytes } };
}

describe('E6 sealing', () => {
  test('E6 round trip: what is sealed opens to the same bytes, and is 16 bytes longer', () => {
    const { sealer, secrets } = sealerOf();
    const opener = createEnvelopeOpener({ registry: secrets.registry, workspace: 'acme' });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (payload) => {
        const before = Uint8Array.from(payload);
        const envelope = sealed(sealer, payload);
        expect(payload).toEqual(before);
        expect(envelope.data.kind === 'bytes' && envelope.data.bytes.length).toBe(payload.length + 16);
        expect(opener.open(envelope)).toEqual({ kind: 'opened', bytes: before, wasSealed: true });
      }),
    );
  });

  test('E6 what was sealed opens after many refills of nonces, and no nonce comes twice', () => {
    const { sealer, secrets } = sealerOf();
    const opener = createEnvelopeOpener({ registry: secrets.registry, workspace: 'acme' });
    const envelopes = Array.from({ length: 600 }, (_, index) => sealed(sealer, utf8(`payload ${index}`)));
    expect(envelopes.every((envelope) => opener.open(envelope).kind === 'opened')).toBe(true);
    expect(new Set(envelopes.map(({ seal }) => seal?.nonce)).size).toBe(600);
  });

  test('E1 fields that the AAD must not be made of are refused, and named', () => {
    const { sealer } = sealerOf();
    for (const change of [{ id: 'a:b' }, { type: 'a:b' }, { workspaceid: 'a:b' }, { seqnum: -1 }, { seqnum: 0.5 }]) {
      const [field] = Object.keys(change);
      expect(() => sealer.seal({ ...fields, ...change }, utf8('x'))).toThrow(
        expect.objectContaining({ code: 'invalid-payload', details: { field } }),
      );
    }
  });
});

describe('E7 key ids', () => {
  test('E7 one says secret, peer, UTC day and start, and stays the same', () => {
    const { keyId } = sealerOf();
    expect(parseKeyId(keyId())).toMatchObject({ secretId: 's1', peer: 'ada', day: '20260102' });
    expect(keyId()).toBe(keyId());
  });

  test('E7 another peer, and another start of the same peer, have other keys', () => {
    const ids = [sealerOf(), sealerOf({ seed: 4 }), sealerOf({ peer: 'bob' })].map(({ keyId }) => keyId());
    expect(new Set(ids).size).toBe(3);
  });

  test('E7 it changes with the UTC day, and a clock that is set back brings no old one back', () => {
    const { clock, keyId } = sealerOf();
    const first = keyId();
    clock.advance(21 * 3_600_000);
    const second = keyId();
    expect(parseKeyId(second)?.day).toBe('20260103');
    clock.advance(-21 * 3_600_000);
    const third = keyId();
    expect(parseKeyId(third)?.day).toBe('20260102');
    expect(new Set([first, second, third]).size).toBe(3);
  });

  test('E7 it changes when a key has sealed what it may: 2^28 messages, here 3', () => {
    const { keyId } = sealerOf({ maxMessages: 3 });
    const ids = Array.from({ length: 7 }, keyId);
    expect([...new Set(ids)].map((id) => ids.filter((one) => one === id).length)).toEqual([3, 3, 1]);
  });

  test('E7 it follows the newest active secret', () => {
    const { keyId, secrets } = sealerOf();
    keyId();
    secrets.set([entryOf('s1'), entryOf('s2')]);
    expect(parseKeyId(keyId())?.secretId).toBe('s2');
    secrets.set([entryOf('s1'), entryOf('s2', { state: 'revoked' })]);
    expect(parseKeyId(keyId())?.secretId).toBe('s1');
  });

  test('E8 locked, or without an active secret, nothing is sealed', () => {
    const { secrets, sealer } = sealerOf();
    const seal = () => sealer.seal(fields, utf8('x'));
    seal();
    secrets.set(undefined);
    expect(seal).toThrow(expect.objectContaining({ code: 'locked' }));
    secrets.set([entryOf('s1', { state: 'revoked' })]);
    expect(seal).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});
