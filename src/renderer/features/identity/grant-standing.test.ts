import { describe, expect, it } from 'vitest';
import { roles } from '../../../shared/protocol/roles.ts';
import { keyDoubt, revokeConsequence, standingOf, standingSummary } from './grant-standing.ts';

const nowMs = Date.UTC(2026, 10, 29);
const seconds = nowMs / 1000;
const grant = { peer: 'bob', sign: 'UB', roles: ['worker'], queues: ['q'], serial: 1, notAfter: 0 };
const bob = { peer: 'bob', sign: 'UB' } as Parameters<typeof keyDoubt>[1][number];

describe('a grant', () => {
  it.each([
    [0, 'in-force'],
    [seconds + 8 * 86_400, 'in-force'],
    [seconds + 6 * 86_400, 'soon'],
    [seconds, 'soon'],
    [seconds - 1, 'ended'],
  ] as const)('I8 that ends at %d stands as %s', (notAfter, standing) => {
    expect(standingOf({ ...grant, notAfter }, nowMs)).toBe(standing);
  });

  it('I4 without roles is revoked, whatever its end', () => {
    expect(standingOf({ ...grant, roles: [], notAfter: seconds - 1 }, nowMs)).toBe('revoked');
  });

  it('I4 many are summed up by what needs somebody', () => {
    const ends = (notAfter: number) => ({ ...grant, notAfter });
    expect(standingSummary([grant, ends(0)], nowMs)).toBe('');
    expect(standingSummary([grant, ends(seconds + 60), ends(9), ends(8), { ...grant, roles: [] }], nowMs)).toBe(
      '1 ends soon · 2 ended · 1 revoked',
    );
    expect(standingSummary([ends(seconds + 60), ends(seconds + 61)], nowMs)).toBe('2 end soon');
  });

  it('I2 of a key that is not the known one is said to be', () => {
    expect(keyDoubt(grant, [bob])).toBeUndefined();
    expect(keyDoubt({ ...grant, sign: 'UE' }, [bob])).toContain('another signing key');
    expect(keyDoubt(grant, [])).toContain('no card');
  });

  it('I4 revoking says of every role what stops, each thing once', () => {
    for (const role of roles) expect(revokeConsequence({ roles: [role] })).not.toMatch(/At once: \./);
    expect(revokeConsequence({ roles: ['human', 'bot'] }).match(/write in no room/g)).toHaveLength(1);
  });
});
