import { describe, expect, test } from 'vitest';
import { authorWith, draftOf, entryOf, goldenEnvelope, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import type { OpenFailure } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { payloadHashOf } from './hashing.ts';
import { createEnvelopeOpener } from './open-envelope.ts';

const subject = 'vak.events.acme.ada-1-e.status';
const payload = '{"state":"started","detail":{"reason":"very private"}}';
const { registry } = playSecrets([entryOf('s1')]);
const opener = createEnvelopeOpener({ registry, workspace: 'acme' });

/** The third envelope of a chain, so that its sequence number can be wrong in both directions. */
function sealedOne(): Envelope {
  const author = authorWith({ registry });
  for (let n = 0; n < 2; n++) author.publish(draftOf('{}'), () => {});
  return author.publish(draftOf(payload), () => {});
}

const bytesOf = ({ data }: Envelope): Uint8Array => (data.kind === 'bytes' ? data.bytes : new Uint8Array(0));
const withBytes = (envelope: Envelope, bytes: Uint8Array): Envelope => ({
  ...envelope,
  data: { kind: 'bytes', bytes },
});
const flip = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, (bytes.at(at) ?? 0) ^ 1);

function failureOf(envelope: Envelope, from = opener): OpenFailure {
  const result = from.open(envelope);
  if (result.kind === 'opened') throw new Error('it opens');
  return result.failure;
}

const diagnose = (envelope: Envelope, hints: { previousSeq?: number; isSignatureValid?: boolean } = {}, on = subject) =>
  opener.diagnose(envelope, { subject: on, ...hints });

describe('E6 round trip', () => {
  test('E6 round trip: sealed, written, read and opened is the same', () => {
    const envelope = decodeEnvelope(encodeEnvelope(sealedOne()));
    expect(envelope.datacontenttype).toBe('application/octet-stream');
    expect(opener.open(envelope)).toEqual({ kind: 'opened', bytes: utf8(payload), wasSealed: true });
  });

  test('P14 what was decoded opens, or fails, as it does when its attributes are checked once more', () => {
    const sealed = decodeEnvelope(encodeEnvelope(sealedOne()));
    const others = [goldenEnvelope, withBytes(sealed, flip(bytesOf(sealed), 0)), withBytes(sealed, new Uint8Array(3))];
    for (const envelope of [sealed, ...others]) expect(opener.openDecoded(envelope)).toEqual(opener.open(envelope));
    expect(failureOf({ ...sealed, id: 'no uuid' })).toMatchObject({ kind: 'malformed', culprit: 'id' });
  });

  test('E6 what is not sealed is its own payload, a foreign JSON value as its text', () => {
    expect(opener.open(goldenEnvelope)).toMatchObject({ kind: 'opened', wasSealed: false });
    const data = { kind: 'json', text: '{"a": 9007199254740993}' } as const;
    expect(opener.open({ ...goldenEnvelope, data })).toMatchObject({ bytes: utf8(data.text) });
  });
});

describe('E9 tamper of ciphertext', () => {
  test.each([0, 20, -17, -16, -1])('E9 tamper of ciphertext: byte %i', (at) => {
    const envelope = sealedOne();
    const changed = withBytes(envelope, flip(bytesOf(envelope), at));
    expect(failureOf(changed)).toMatchObject({ kind: 'tag-mismatch', culprit: null });
    expect(diagnose(changed)).toMatchObject({ kind: 'tag-mismatch', culprit: 'ciphertext' });
  });

  test('E9 tamper of ciphertext: cut by one byte, and to less than a tag', () => {
    const envelope = sealedOne();
    expect(diagnose(withBytes(envelope, bytesOf(envelope).slice(0, -1))).culprit).toBe('ciphertext');
    const short = failureOf(withBytes(envelope, bytesOf(envelope).slice(0, 15)));
    expect(short).toMatchObject({ kind: 'malformed', culprit: 'data_base64' });
    expect(short.why).toContain('15 bytes');
  });

  test('E9 tamper of ciphertext together with its hash is not blamed on a field, and the sentence says so', () => {
    const envelope = sealedOne();
    const changed = withBytes(envelope, flip(bytesOf(envelope), 3));
    const { culprit, why } = diagnose({ ...changed, payloadhash: payloadHashOf(changed) });
    expect(culprit).toBe('id');
    expect(why).toContain('the payload together with its hash');
  });
});

describe('E9 tamper of each metadata field through the AAD', () => {
  const otherId = '0197a3c0-0000-7000-8000-00000000ffff';
  const changes: readonly [string, Partial<Envelope>, string][] = [
    ['id', { id: otherId }, 'id, key or nonce'],
    ['type', { type: 'vak.events.terminal' }, 'vak.events.status'],
    ['workspaceid', { workspaceid: 'other' }, 'acme'],
    ['seqnum', { seqnum: 3 }, 'opens with 2'],
    ['seqnum', { seqnum: 1 }, 'opens with 2'],
  ];

  test.each(changes)('E9 tamper of each metadata field through the AAD: %s', (field, change, says) => {
    const changed = { ...sealedOne(), ...change };
    const failure = failureOf(changed);
    expect(failure).toMatchObject({ kind: 'tag-mismatch', culprit: null });
    for (const value of [changed.id, changed.type, changed.workspaceid, changed.seqnum]) {
      expect(failure.why).toContain(String(value));
    }
    const found = diagnose(changed);
    expect(found).toMatchObject({ kind: 'tag-mismatch', culprit: field });
    expect(found.why).toContain(says);
  });

  test('E9 a sequence number far off is found by the envelope before it', () => {
    const changed = { ...sealedOne(), seqnum: 4_000_000 };
    expect(diagnose(changed).culprit).toBe('id');
    expect(diagnose(changed, { previousSeq: 1 }).culprit).toBe('seqnum');
  });

  test('E9 type and workspace are also found by what the envelope itself says, on a foreign bus subject', () => {
    expect(diagnose({ ...sealedOne(), type: 'x' }, {}, 'elsewhere').culprit).toBe('type');
    expect(diagnose({ ...sealedOne(), workspaceid: 'x' }, {}, 'elsewhere').culprit).toBe('workspaceid');
  });

  test('E9 the workspace is found by the source alone, and by the engine alone', () => {
    const moved = { ...sealedOne(), workspaceid: 'x', subject: undefined };
    const elsewhere = createEnvelopeOpener({ registry, workspace: 'y' });
    expect(elsewhere.diagnose(moved, { subject: 'z' }).culprit).toBe('workspaceid');
    expect(diagnose({ ...moved, source: 'vak://test' }, {}, 'z').culprit).toBe('workspaceid');
    expect(elsewhere.diagnose({ ...moved, source: 'vak://test' }, { subject: 'z' }).culprit).toBe('id');
  });

  test('E9 a nonce or a key id that was changed: what is left is said to be left', () => {
    const envelope = sealedOne();
    const seal = envelope.seal as NonNullable<Envelope['seal']>;
    for (const change of [{ nonce: '0'.repeat(24) }, { keyid: 's1.ada.20260102.other' }]) {
      const { kind, why } = diagnose({ ...envelope, seal: { ...seal, ...change } });
      expect(kind).toBe('tag-mismatch');
      expect(why).toContain('id, key or nonce');
    }
  });
});

describe('E9 a failed open says why', () => {
  test('E9 a valid signature rules every field out: the secret of that id is another one', () => {
    const others = playSecrets([{ ...entryOf('s1'), secret: entryOf('not it').secret }]).registry;
    const elsewhere = createEnvelopeOpener({ registry: others, workspace: 'acme' });
    const hints = { subject, isSignatureValid: true };
    expect(elsewhere.diagnose(sealedOne(), hints)).toMatchObject({ kind: 'tag-mismatch', culprit: 'key' });
    expect(elsewhere.diagnose(sealedOne(), { ...hints, isSignatureValid: false }).culprit).toBe('id');
  });

  test.each([
    ['locked', undefined],
    ['unknown-secret', [entryOf('s2')]],
    ['revoked-secret', [entryOf('s1', { state: 'revoked' })]],
    ['expired-secret', [entryOf('s1', { state: 'open-only', openOnlyUntilMs: 5 })]],
  ] as const)('E9 %s', (kind, entries) => {
    const envelope = sealedOne();
    const secrets = playSecrets([]);
    secrets.set(entries);
    const from = createEnvelopeOpener({ registry: secrets.registry, workspace: 'acme' });
    expect(failureOf(envelope, from)).toMatchObject({ kind, culprit: null });
    expect(from.diagnose(envelope, { subject })).toEqual(failureOf(envelope, from));
  });

  test('E9 E7 a foreign key id, and one of another peer', () => {
    const envelope = sealedOne();
    const seal = envelope.seal as NonNullable<Envelope['seal']>;
    expect(failureOf({ ...envelope, seal: { ...seal, keyid: 'key_v1' } }).kind).toBe('foreign-key');
    expect(failureOf({ ...envelope, agentid: 'bob' })).toMatchObject({ kind: 'malformed', culprit: 'keyid' });
  });

  test('E9 E1 a malformed field is named, and nothing throws', () => {
    const envelope = sealedOne();
    const seal = envelope.seal as NonNullable<Envelope['seal']>;
    const changes: readonly [string, Partial<Envelope>][] = [
      ['id', { id: 'a:b' }],
      ['type', { type: 'a:b' }],
      ['workspaceid', { workspaceid: '' }],
      ['seqnum', { seqnum: Number.NaN }],
      ['nonce', { seal: { ...seal, nonce: '00' } }],
      ['keyid', { seal: { ...seal, keyid: 'a b' } }],
      ['data_base64', { data: { kind: 'none' } }],
    ];
    for (const [field, change] of changes) {
      expect(failureOf({ ...envelope, ...change })).toMatchObject({ kind: 'malformed', culprit: field });
    }
  });

  test('I3 no failure shows payload or key', () => {
    const envelope = sealedOne();
    const found = registry.keyFor(envelope.seal?.keyid ?? '', 'ada');
    const key = found.kind === 'key' ? found.key.export() : Buffer.alloc(0);
    const failures = [
      diagnose(withBytes(envelope, flip(bytesOf(envelope), 2))),
      diagnose({ ...envelope, seqnum: 3 }),
      diagnose({ ...envelope, type: 'x' }, { isSignatureValid: true }),
      failureOf({ ...envelope, seqnum: 3 }),
    ];
    for (const shown of failures.map((failure) => JSON.stringify(failure))) {
      expect(shown).not.toContain('private');
      for (const form of ['hex', 'base64', 'latin1'] as const) expect(shown).not.toContain(key.toString(form));
      expect(shown).not.toContain(toHex(bytesOf(envelope)).slice(0, 16));
    }
  });

  test('E9 diagnosing what opens is a fault of the caller', () => {
    expect(() => diagnose(sealedOne())).toThrow(TypeError);
  });
});
