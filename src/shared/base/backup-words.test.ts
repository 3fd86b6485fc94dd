import { expect, it } from 'vitest';
import { backupAdvice, changedWords } from './backup-words.ts';

const last = { atMs: 1, how: 'made' } as const;

it('I3 what a backup lacks is counted by its kind, and nothing is advised where it lacks nothing', () => {
  expect(changedWords({ changed: [{ kind: 'identity', count: 1 }] })).toBe('1 identity');
  const changed = [
    { kind: 'identity', count: 2 },
    { kind: 'secret', count: 1 },
    { kind: 'box-key', count: 1 },
  ] as const;
  expect(changedWords({ changed })).toBe('2 identities, 1 workspace secret and 1 key for sealed messages');
  expect(backupAdvice({ last, changed })).toContain('2 identities, 1 workspace secret and 1 key for sealed messages');
  expect(backupAdvice({ last, changed: [] })).toBeUndefined();
  expect(backupAdvice({ last: null, changed: [] })).toContain('lost with this machine');
});
