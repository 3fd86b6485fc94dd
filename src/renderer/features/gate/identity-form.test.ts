import { describe, expect, it } from 'vitest';
import { readIdentityForm, suggestedIdentity } from './identity-form.ts';

describe('who this peer is to be', () => {
  it('takes the suggestion as it is', () => {
    expect(readIdentityForm(suggestedIdentity)).toEqual({ kind: 'ready', identity: suggestedIdentity });
  });

  it('leaves out blanks around the names', () => {
    expect(readIdentityForm({ peer: ' ada ', displayName: ' Ada Lovelace ' })).toEqual({
      kind: 'ready',
      identity: { peer: 'ada', displayName: 'Ada Lovelace' },
    });
  });

  it.each([
    [{ peer: '', displayName: 'A' }, ['peer']],
    [{ peer: 'two words', displayName: 'A' }, ['peer']],
    [{ peer: 'a.b', displayName: 'A' }, ['peer']],
    [{ peer: 'x'.repeat(65), displayName: 'A' }, ['peer']],
    [{ peer: 'a', displayName: '   ' }, ['displayName']],
    [{ peer: 'a', displayName: 'x'.repeat(65) }, ['displayName']],
    [{ peer: '*', displayName: '' }, ['peer', 'displayName']],
  ])('names what is wrong with %j', (fields, wrong) => {
    const form = readIdentityForm(fields);
    expect(form.kind === 'wrong' && Object.keys(form.errors)).toEqual(wrong);
  });
});
