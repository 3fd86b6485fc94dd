import { describe, expect, it } from 'vitest';
import type { ConnectionStatus } from '../../../shared/contract/connections-contract.ts';
import { whyNotEdit, whyNotImport, whyNotRemove, whyNotUse } from './connection-reasons.ts';

const state = (current: string, kind: 'connected' | 'closed' = 'connected') => {
  const status = { kind, sinceMs: 0, ...(kind === 'closed' && { error: null }) } as ConnectionStatus;
  return { current, status };
};
const remote = { name: 'prod', kind: 'remote' } as const;
const embedded = { name: 'embedded', kind: 'embedded' } as const;

describe('what can be done with a connection', () => {
  it('is used unless it is in use; a closed one can be used again', () => {
    expect(whyNotUse(state('embedded'), remote)).toBeUndefined();
    expect(whyNotUse(state('prod'), remote)).toBe('it is in use already');
    expect(whyNotUse(state('prod', 'closed'), remote)).toBeUndefined();
  });

  it('the embedded one is neither changed nor removed, and the one in use not removed', () => {
    expect(whyNotEdit(embedded)).toContain('always there');
    expect(whyNotRemove(state('prod'), embedded)).toContain('always there');
    expect(whyNotRemove(state('prod'), remote)).toContain('in use');
    expect([whyNotEdit(remote), whyNotRemove(state('embedded'), remote)]).toEqual([undefined, undefined]);
  });

  it('only a remote one takes credentials', () => {
    expect(whyNotImport(remote)).toBeUndefined();
    expect(whyNotImport(embedded)).toContain('none');
    expect(whyNotImport({ name: 'm', kind: 'managed' })).toContain('its own');
  });
});
