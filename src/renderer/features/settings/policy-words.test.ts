import { expect, it } from 'vitest';
import type { QuarantineState } from '../../../shared/contract/streams-contract.ts';
import { fixedRows } from '../../../shared/settings/setting-keys.ts';
import { policyWords } from './policy-words.ts';

const quarantine = { countByReason: { plain: 1, unsigned: 1204 } } as unknown as QuarantineState;

it('E8 each rule of the policy says what it comes to, on and off, and how much was refused for it', () => {
  expect(policyWords('policy.acceptPlain', false, quarantine)).toContain('set aside');
  expect(policyWords('policy.acceptPlain', false, quarantine)).toContain('1 message was refused');
  expect(policyWords('policy.acceptUnsigned', true, quarantine)).toContain('1\u202f204 messages were refused');
  expect(policyWords('policy.acceptPlain', true, undefined)).toContain('0 messages');
  for (const { key } of fixedRows)
    expect(policyWords(key, false, quarantine) !== undefined).toBe(key.startsWith('policy.'));
});
