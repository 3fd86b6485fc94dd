import { describe, expect, it } from 'vitest';
import type { WorkspaceSecretStatus } from '../../../shared/contract/settings-contract.ts';
import {
  endText,
  openOnlyConsequence,
  readEnd,
  revokeConsequence,
  sealingKeyWords,
  standingOfSecret,
  standingWords,
  whyNotActive,
  whyNotOpenOnly,
  whyNotRevoke,
} from './workspace-secret-words.ts';

const nowMs = Date.parse('2026-11-30T12:00:00Z');
const secret = (id: string, more: Partial<WorkspaceSecretStatus> = {}): WorkspaceSecretStatus => ({
  ...{ id, state: 'active', openOnlyUntilMs: null, isSealing: false, source: 'key store', ...more },
});

describe('words on the workspace’s secrets', () => {
  it('E7 each says what it does now; one whose time is over says so without being told', () => {
    const until = secret('s1', { state: 'open-only', openOnlyUntilMs: nowMs + 60_000 });
    expect(standingWords(secret('s2', { isSealing: true }), nowMs, 'utc')).toBe('seals what is sent now, and opens');
    expect(standingWords(secret('s1'), nowMs, 'utc')).toBe('active: opens; a newer one seals');
    expect(standingWords(until, nowMs, 'utc')).toBe(
      'open only: opens what is old until 2026-11-30 12:01, seals nothing',
    );
    expect(standingWords(until, nowMs + 60_000, 'utc')).toContain('ended');
    expect(standingOfSecret(secret('s1', { state: 'open-only' }), nowMs + 1e12)).toBe('open-only');
    expect(standingWords(secret('s0', { state: 'revoked' }), nowMs, 'utc')).toContain('neither seals nor opens');
  });

  it('E7 what cannot be changed says why before the press', () => {
    const env = secret('env', { state: 'open-only', source: 'environment' });
    const gone = secret('s0', { state: 'revoked' });
    for (const why of [whyNotOpenOnly, whyNotRevoke, whyNotActive]) {
      expect([why(env), why(gone)]).toEqual([
        'it comes from the environment; change it there',
        'it was revoked, and that is for good',
      ]);
    }
    expect([whyNotActive(secret('s1')), whyNotActive(secret('s1', { state: 'open-only' }))]).toEqual([
      'it is active already',
      undefined,
    ]);
  });

  it('E7 a change says who seals after it, or that nobody does', () => {
    const [s1, s2] = [secret('s1'), secret('s2', { isSealing: true })];
    expect(openOnlyConsequence([s1, s2], s2)).toContain('s1 seals what is sent from then on');
    expect(openOnlyConsequence([s1, s2], s1)).not.toContain('from then on');
    const alone = openOnlyConsequence([secret('s1', { state: 'revoked' }), s2], s2);
    expect(alone).toContain('nothing can be sealed until you add one');
    const revoked = revokeConsequence([s1, s2], s2, { sealedCount: 1204, bufferedCount: 65_536 });
    expect(revoked).toContain('In Streams that closes 1\u202f204 of 65\u202f536 messages.');
    expect(revoked).toContain('s1 seals what is sent from then on');
    expect(revoked).toContain('cannot be undone');
    expect(revokeConsequence([s1, s2], s1, { sealedCount: 0, bufferedCount: 0 })).not.toContain('In Streams');
  });

  it('E7 a key says how much it may still seal', () => {
    expect(sealingKeyWords({ sealedCount: 1, limitCount: 2 ** 28 })).toContain(
      'sealed 1 message and may seal 268\u202f435\u202f455 more',
    );
  });

  it('an end is read as it is written, and must be to come', () => {
    const text = endText(nowMs + 3_600_000);
    expect(text).toBe('2026-11-30 13:00');
    expect(readEnd(` ${text} `, nowMs)).toBe(nowMs + 3_600_000);
    expect(readEnd('2026-11-30T13:00', nowMs)).toBe(nowMs + 3_600_000);
    for (const wrong of ['', 'tomorrow', '2026-02-30 10:00', '2026-11-30', '2026-13-01 10:00']) {
      expect(readEnd(wrong, nowMs)).toContain('2026-12-01 10:00');
    }
    expect(readEnd('2026-11-30 12:00', nowMs)).toContain('past');
  });
});
