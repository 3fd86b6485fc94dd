import { describe, expect, it } from 'vitest';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import { fieldsOfGrant, type GrantFields, namesIn, readGrantForm } from './grant-form.ts';

const nowMs = Date.UTC(2026, 10, 29);
const bob = { peer: 'bob', sign: 'UBOB', state: 'pinned' } as PeerSummary;
const peers = [
  bob,
  { ...bob, peer: 'eve', state: 'changed' },
  { ...bob, peer: 'mal', state: 'blocked' },
] as PeerSummary[];
const fields: GrantFields = { peer: ' bob ', roles: ['worker'], queues: 'builds, docs builds', end: 'none', until: '' };
const read = (change: Partial<GrantFields>) => readGrantForm({ ...fields, ...change }, peers, nowMs);

describe('the form of a grant', () => {
  it('I4 asks for the key that is known of the peer, with each queue once', () => {
    expect(read({})).toEqual({
      kind: 'right',
      input: { peer: 'bob', sign: 'UBOB', roles: ['worker'], queues: ['builds', 'docs'], notAfter: 0 },
    });
  });

  it.each([
    ['week', '', nowMs / 1000 + 7 * 86_400],
    ['at', '2027-01-31', Date.UTC(2027, 0, 31) / 1000],
    ['at', '2027-01-31 12:00', Date.UTC(2027, 0, 31, 12) / 1000],
    ['at', '2027-01-31T12:00:30+01:00', Date.UTC(2027, 0, 31, 11, 0, 30) / 1000],
  ] as const)('I4 an end %s %s is %d', (end, until, notAfter) => {
    expect(read({ end, until })).toMatchObject({ kind: 'right', input: { notAfter } });
  });

  it.each([
    [{ peer: '' }, 'peer', 'Name the peer'],
    [{ peer: 'a b' }, 'peer', 'A–Z'],
    [{ peer: 'carl' }, 'peer', 'No card'],
    [{ peer: 'eve' }, 'peer', 'changed'],
    [{ peer: 'mal' }, 'peer', 'blocked'],
    [{ roles: [] }, 'roles', 'at least'],
    [{ queues: '' }, 'queues', 'needs a queue'],
    [{ queues: 'a/b' }, 'queues', 'A–Z'],
    [{ queues: Array.from({ length: 65 }, (_, i) => `q${i}`).join(' ') }, 'queues', '64'],
    [{ end: 'at', until: 'tomorrow' }, 'until', 'such as'],
    [{ end: 'at', until: '2020-01-01' }, 'until', 'past'],
  ] as const)('I4 %j is wrong at %s', (change, field, words) => {
    expect(read(change as Partial<GrantFields>)).toMatchObject({
      kind: 'wrong',
      errors: { [field]: expect.stringContaining(words) },
    });
  });

  it('A2 queues belong to workers alone, whatever still stands in the field', () => {
    expect(read({ roles: ['observer'] })).toMatchObject({ input: { queues: [] } });
  });

  it('I4 begins with what the peer has; what ended or was revoked gets an end anew', () => {
    const grant = {
      peer: 'bob',
      sign: 'UBOB',
      roles: ['worker', 'strange'],
      queues: ['a', 'b'],
      serial: 1,
      notAfter: 0,
    };
    expect(fieldsOfGrant(undefined, grant)).toMatchObject({
      peer: 'bob',
      roles: ['worker'],
      queues: 'a, b',
      end: 'none',
    });
    expect(fieldsOfGrant(undefined, { ...grant, notAfter: 9 })).toMatchObject({ end: 'month' });
    expect(fieldsOfGrant('carl', undefined)).toMatchObject({ peer: 'carl', roles: [] });
    expect(namesIn(' a,,b \n a')).toEqual(['a', 'b']);
  });
});
