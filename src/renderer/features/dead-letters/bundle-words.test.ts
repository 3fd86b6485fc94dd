import { expect, it } from 'vitest';
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { linesSentence, partsOf, signedSentence, verdictWord } from './bundle-words.ts';
import { noOutputWords } from './letter-words.ts';

const made = { workspace: 'acme', by: 'olga', atMs: 1, operationId: 'o' };
const signed = { kind: 'sound', signer: 'U', isPinned: false, isOtherRoot: false, why: null } as const;

it('D14 who signed is told as far as it is known here, and a key that is pinned is no grant', () => {
  expect(signedSentence({ made, signed: { ...signed, kind: 'valid' } })).toContain("as the workspace's root says");
  expect(signedSentence({ made, signed })).toContain('nobody can say');
  expect(signedSentence({ made, signed: { ...signed, isPinned: true } })).toContain('is not known without');
  expect(signedSentence({ made, signed: { ...signed, isOtherRoot: true } })).toContain('another root');
  expect(signedSentence({ made: null, signed: { ...signed, kind: 'none', why: 'No manifest.' } })).toBe('No manifest.');
});

it('D14 the first line that was changed is named, and parts have names of their own', () => {
  const report = {
    lineCount: 9,
    badLineCount: 2,
    cutAtLine: null,
    faults: [{ line: 4, kind: 'letter', why: '' }],
  } as unknown as BundleReport;
  expect(linesSentence(report)).toBe('2 of 9 lines are not as they were signed, the first is line 4.');
  expect(linesSentence({ ...report, badLineCount: 0, faults: [] })).toBe('All 9 lines are as they were signed.');
  const cut = { ...report, cutAtLine: 9, verdict: 'changed' } as const;
  expect([verdictWord(cut).word, linesSentence(cut)]).toEqual(['cut off', 'It was cut off: 9 lines are left of it.']);
  expect(verdictWord({ ...cut, cutAtLine: null }).word).toBe('not as it was signed');
  const parts = ['manifest', 'letter', 'toString'].map((kind) => ({ kind, count: 1 }));
  expect(partsOf({ parts }).map(({ name }) => name)).toEqual(['letters', 'toString']);
});

it('D14 where there is no output it is said why', () => {
  expect(noOutputWords({ session: null, sealedCount: 0 }, false)).toContain('No session of it was heard');
  expect(noOutputWords({ session: 's', sealedCount: 2 }, false)).toContain('sealed');
  expect(noOutputWords({ session: 's', sealedCount: 0 }, false)).toContain('is held any more');
  expect(noOutputWords({ session: 's', sealedCount: 0 }, true)).toContain('The bundle has no output');
});
