import { describe, expect, test } from 'vitest';
import { authorWith, draftOf, goldenEnvelope } from '../../../tests/support/envelope-fixture.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { leafOf, payloadHashOf } from './hashing.ts';
import { isSameHash, type LinkInput, verifyLink } from './link.ts';

const author = authorWith();
const chain = Array.from({ length: 6 }, (_, n) => author.publish(draftOf(`{"n":${n}}`), () => {}));
const at = (n: number): Envelope => chain[n] ?? goldenEnvelope;

const inputOf = (envelope: Envelope): LinkInput => {
  return { envelope, leaf: leafOf(envelope), payloadHash: payloadHashOf(envelope) };
};
const headOf = (envelope: Envelope): ChainHead => {
  return { source: envelope.source, seq: envelope.seqnum, leaf: leafOf(envelope) };
};
const verify = (previous: Envelope | undefined, current: Envelope) =>
  verifyLink(previous === undefined ? undefined : headOf(previous), inputOf(current));

describe('E11 verifyLink', () => {
  test('E11 Merkle chaining: valid link', () => {
    for (let n = 1; n < chain.length; n++) expect(verify(at(n - 1), at(n))).toEqual({ kind: 'ok' });
    expect(at(1).prevhash).toBe(leafOf(at(0)));
  });

  test('E11 Merkle chaining: sequence mismatch: a gap names what is missing, both included', () => {
    expect(verify(at(0), at(2))).toEqual({ kind: 'gap', from: 1, to: 1 });
    expect(verify(at(1), at(5))).toEqual({ kind: 'gap', from: 2, to: 4 });
  });

  test('E11 Merkle chaining: sequence mismatch: what comes again or late is reordered', () => {
    expect(verify(at(2), at(2))).toEqual({ kind: 'reordered' });
    expect(verify(at(2), at(1))).toEqual({ kind: 'reordered' });
    expect(verify(at(5), at(0))).toEqual({ kind: 'reordered' });
  });

  test('E11 Merkle chaining: sequence mismatch: another envelope at the same place is a fork', () => {
    expect(verify(at(2), { ...at(2), causationid: 'x' })).toEqual({ kind: 'reordered' });
    expect(verify(at(2), { ...at(2), id: goldenEnvelope.id })).toEqual({ kind: 'fork' });
  });

  test('E11 Merkle chaining: forged hash of the link', () => {
    expect(verify(at(1), { ...at(2), prevhash: 'f'.repeat(64) })).toEqual({ kind: 'forged-link' });
    expect(verify({ ...at(1), time: '2026-01-02T03:04:09Z' }, at(2))).toEqual({ kind: 'forged-link' });
  });

  test('E11 Merkle chaining: forged hash of the payload', () => {
    const bytes = new Uint8Array(40);
    expect(verify(at(1), { ...at(2), data: { kind: 'bytes', bytes } })).toEqual({ kind: 'forged-payload' });
    expect(verify(at(1), { ...at(2), payloadhash: '0'.repeat(64) })).toEqual({ kind: 'forged-payload' });
    expect(verify(undefined, { ...at(2), data: { kind: 'none' } })).toEqual({ kind: 'forged-payload' });
  });

  test('E11 another source is foreign, whatever else is wrong', () => {
    expect(verify(at(1), { ...at(2), source: 'vak://acme/bob/b-1-e', payloadhash: '0'.repeat(64) })).toEqual({
      kind: 'foreign-source',
    });
  });

  test('E11 a forged payload is told before a wrong place', () => {
    for (const previous of [at(0), at(2), at(4)]) {
      expect(verify(previous, { ...at(2), payloadhash: '0'.repeat(64) })).toEqual({ kind: 'forged-payload' });
    }
  });

  test('E10 our chains begin at 0 after the genesis hash; a foreign chain begins anywhere, and ours may be joined late', () => {
    expect(verify(undefined, at(0))).toEqual({ kind: 'ok' });
    expect(at(0).prevhash).toBe('0'.repeat(64));
    expect(verify(undefined, { ...at(0), prevhash: 'f'.repeat(64) })).toEqual({ kind: 'forged-link' });
    expect(verify(undefined, at(3))).toEqual({ kind: 'ok' });
    expect(verify(undefined, { ...goldenEnvelope, seqnum: 0, prevhash: 'f'.repeat(64) })).toEqual({ kind: 'ok' });
  });

  test('E11 hashes of another length are not the same, and do not throw', () => {
    expect(isSameHash('00', '0000')).toBe(false);
    expect(isSameHash('', '')).toBe(true);
    expect(isSameHash('é0', 'e0')).toBe(false);
  });
});
