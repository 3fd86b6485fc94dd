import { describe, expect, it } from 'vitest';
import type { OpenFailure, SealReport } from '../../shared/contract/trust-report.ts';
import { culpritWords, sealSentence, signatureSentence } from './trust-sentences.ts';

const sealed = (failure: OpenFailure | null): SealReport => ({
  kind: 'sealed',
  algorithm: 'AES-256-GCM',
  keyId: 's1.render-7.20261129.b1',
  keyParts: { secretId: 's1', peer: 'render-7', day: '20261129', boot: 'b1' },
  nonce: '000102030405060708090a0b',
  aad: 'a:b:c:1',
  aadFields: [],
  sealedBytes: 57,
  failure,
});

describe('sentences of trust', () => {
  it('E9 a failed open says its cause and the engine’s own words, never that it opens', () => {
    const failure: OpenFailure = { kind: 'revoked-secret', why: 'Secret s1 was revoked. Ask render-7.', culprit: null };
    expect(sealSentence(sealed(failure), 'fails')).toBe('Its secret was revoked: Secret s1 was revoked. Ask render-7.');
    expect(sealSentence(sealed(null), 'opens')).toBe('AES-256-GCM, opens with secret s1 of peer render-7.');
    expect(sealSentence(sealed(null), 'sealed')).toContain('not opened yet');
  });

  it.each([
    ['ciphertext', 'the sealed bytes'],
    ['key', 'the key'],
    ['seqnum', 'the attribute seqnum'],
    [null, null],
  ])('E9 what was changed: %s is %s', (culprit, words) => {
    expect(culpritWords({ kind: 'tag-mismatch', why: '', culprit })).toBe(words);
  });

  it('E6 a key id of another form is shown whole', () => {
    const foreign = { ...sealed(null), keyId: 'key_v1', keyParts: null } as SealReport;
    expect(sealSentence(foreign, 'opens')).toContain('key key_v1');
  });

  it('E13 a signature speaks for itself, and none is not "invalid"', () => {
    expect(signatureSentence({ kind: 'unsigned' })).toContain('Not signed');
    expect(signatureSentence({ kind: 'none' })).toContain('No envelope');
    const invalid = {
      kind: 'invalid',
      fault: 'signature',
      isFinal: true,
      signer: 'U',
      peer: 'p',
      roles: [],
      queues: [],
      why: 'It was forged.',
    } as const;
    expect(signatureSentence(invalid)).toBe('It was forged.');
  });
});
