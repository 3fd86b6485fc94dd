import { describe, expect, it } from 'vitest';
import type { ProvisioningPart } from '../../../shared/contract/provisioning-contract.ts';
import { boundWords, changedCount, outcomeWords } from './provision-words.ts';

const part = (more: Partial<ProvisioningPart>): ProvisioningPart => ({
  ...{ name: 'VAK_WORK_ws', kind: 'stream', outcome: 'created', subjects: [], replicas: 1 },
  ...{ maxAgeMs: null, maxBytes: null, whenFull: 'refuse-new', history: null, ...more },
});

describe('streams that are made', () => {
  it.each([
    [part({ maxBytes: 1024 ** 3 }), 'without end · 1.0\u00a0GiB, then refuses new'],
    [
      part({ maxAgeMs: 90 * 86_400_000, maxBytes: 1024 ** 2, whenFull: 'drop-old' }),
      '90 days · 1.0\u00a0MiB, then drops oldest',
    ],
    [part({}), 'without end · any size'],
    [part({ kind: 'key-value', history: 64, whenFull: null }), 'the last 64 values of a key'],
  ])('%# say their bounds with units', (one, words) => {
    expect(boundWords(one)).toBe(words);
  });

  it('say what comes of them, and how many are touched', () => {
    const parts = (['created', 'updated', 'unchanged'] as const).map((outcome) => part({ outcome }));
    expect(parts.map(outcomeWords)).toEqual(['is created', 'is changed', 'is there']);
    expect(changedCount(parts)).toBe(2);
  });
});
