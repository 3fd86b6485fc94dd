import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorWith, draftOf, entryOf, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { grantWith, root } from '../../../tests/support/identity-fixture.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution } from '../identity/signer-resolution.ts';
import { createSignatureCheck } from './envelope-signature.ts';
import { payloadHashOf } from './hashing.ts';
import { createMemoryHeadStore } from './memory-head-store.ts';
import { createEnvelopeOpener } from './open-envelope.ts';

const { registry } = playSecrets([entryOf('s1')]);
const opener = createEnvelopeOpener({ registry, workspace: 'acme' });
const checks = createRecordChecks();
const grants = [{ record: grantWith({ roles: ['worker'] }), storedMs: 0 }];
const signatures = createSignatureCheck({
  verifier: checks.verifier,
  resolution: createSignerResolution({
    ...{ ws: 'acme', rootPublic: root.nkey, checks },
    directory: { grantedPeers: () => ['ada'], grants: (peer) => (peer === 'ada' ? grants : []) },
    floor: { judge: () => 'known', raise: () => {} },
  }),
  rolesFor: () => ({ roles: ['worker'] }),
});

/** What finds that an envelope was changed; undefined if nothing does. */
function detect(bytes: Uint8Array): string | undefined {
  let envelope: Envelope;
  try {
    envelope = decodeEnvelope(bytes);
  } catch (error) {
    if (isVakError(error)) return 'codec';
    throw error;
  }
  if (payloadHashOf(envelope) !== envelope.payloadhash) return 'payloadhash';
  if (signatures.check(envelope, envelope.subject ?? '', 1000).kind !== 'valid') return 'signature';
  return opener.open(envelope).kind === 'failed' ? 'seal' : undefined;
}

function writeOne(isPlain: boolean): Uint8Array {
  const heads = createMemoryHeadStore();
  heads.keep('ada', 'e', { source: 'vak://acme/ada/ada-0-e', seq: 124, leaf: 'ab'.repeat(32) });
  const author = authorWith({ registry, isPlain, heads });
  const draft = { ...draftOf('{"state":"started","n":9007199254740993}'), causationId: 'task-1' };
  const trace = { ...draft.trace, tracestate: 'vendor=1' };
  let sent = new Uint8Array(0);
  const envelope = author.publish({ ...draft, trace }, (bytes) => {
    sent = Uint8Array.from(bytes);
  });
  expect(envelope.resumes).toBeDefined();
  expect(detect(sent)).toBeUndefined();
  return sent;
}

describe('E13 any single bit that is flipped is detected', () => {
  test.each([
    ['sealed and signed', false],
    ['plain and signed', true],
  ])('E13 every bit of an envelope that is %s', (_, isPlain) => {
    const bytes = writeOne(isPlain);
    const missed: number[] = [];
    const found = new Set<string>();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
      const by = detect(changed);
      if (by === undefined) missed.push(bit);
      else found.add(by);
    }
    expect(missed).toEqual([]);
    expect(found).toEqual(new Set(['codec', 'payloadhash', 'signature']));
  });

  test('E2 E13 unknown attributes are the exception: no signature covers them', () => {
    const envelope = decodeEnvelope(writeOne(false));
    const extended = { ...envelope, extensions: [{ name: 'note', valueText: '"anything"' }] };
    expect(detect(encodeEnvelope(extended))).toBeUndefined();
  });
});

describe('E6 E13 any payload', () => {
  test('E6 round trip: published and opened is the same, and any changed byte of it is detected', () => {
    const author = authorWith({ registry });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2000 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (payload, at, mask) => {
          let sent = new Uint8Array(0);
          author.publish({ ...draftOf(''), payload }, (bytes) => {
            sent = Uint8Array.from(bytes);
          });
          const envelope = decodeEnvelope(sent);
          expect(opener.open(envelope)).toEqual({ kind: 'opened', bytes: payload, wasSealed: true });
          const sealed = envelope.data.kind === 'bytes' ? envelope.data.bytes : payload;
          const place = at % sealed.length;
          const bytes = sealed.with(place, (sealed[place] ?? 0) ^ mask);
          expect(opener.open({ ...envelope, data: { kind: 'bytes', bytes } }).kind).toBe('failed');
        },
      ),
      { numRuns: 100 },
    );
  });

  test('E7 what one peer sealed does not open as another’s, whatever is written around it', () => {
    const bob = authorWith({ registry, peer: 'bob' }).publish(draftOf('{}', 'vak.agent.acme.ada.inbox'), () => {});
    expect(opener.open(bob).kind).toBe('opened');
    const seal = bob.seal as NonNullable<Envelope['seal']>;
    const asAda: Envelope = { ...bob, agentid: 'ada', seal: { ...seal, keyid: seal.keyid.replace('.bob.', '.ada.') } };
    expect(opener.open(asAda)).toMatchObject({ kind: 'failed', failure: { kind: 'tag-mismatch' } });
  });
});
