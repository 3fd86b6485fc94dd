import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aadFieldsOf, aadOf } from './envelope-aad.ts';

const golden = { id: '0197a3c0-0000-7000-8000-000000000001', type: 'vak.work.task', workspaceid: 'ws_123', seqnum: 1 };

test('E6 golden AAD, whole and field by field', () => {
  expect(aadOf(golden)).toBe('0197a3c0-0000-7000-8000-000000000001:vak.work.task:ws_123:1');
  const fields = aadFieldsOf(golden);
  expect(fields).toEqual([
    { name: 'id', value: '0197a3c0-0000-7000-8000-000000000001' },
    { name: 'type', value: 'vak.work.task' },
    { name: 'workspaceid', value: 'ws_123' },
    { name: 'seqnum', value: '1' },
  ]);
  expect(aadOf(fields)).toBe(aadOf(golden));
  expect(aadOf({ ...golden, seqnum: 2 ** 53 - 1 })).toMatch(/:9007199254740991$/);
});

test.each([
  ['id', { id: 'a:b' }],
  ['type', { type: 'vak.work.task:ws' }],
  ['workspaceid', { workspaceid: 'ws:1' }],
  ['seqnum', { seqnum: 1e21 }],
  ['seqnum', { seqnum: -0.5 }],
])('E6 no AAD is made of a bad %s', (field, change) => {
  expect(() => aadOf({ ...golden, ...change })).toThrow(new RegExp(`^${field}: `));
});

test('E1 any two accepted (id, type, ws, seq) with equal AAD are equal', () => {
  // Few characters, colons among them, so that accidents happen.
  const text = fc.string({ unit: fc.constantFrom(...'aaa11-:'), minLength: 1, maxLength: 4 });
  const id = fc.constantFrom(golden.id, golden.id.replace('1', '2'), 'a:b');
  const fields = fc.record({ id, type: text, workspaceid: text, seqnum: fc.nat(12) });
  let accepted = 0;
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      let pair: readonly [string, string];
      try {
        pair = [aadOf(one), aadOf(other)];
      } catch {
        return;
      }
      accepted++;
      if (pair[0] === pair[1]) expect(one).toEqual(other);
      // The AAD can be taken apart again: that is what makes it injective.
      const [readId, type, workspaceid, seqnum, ...rest] = pair[0].split(':');
      expect(rest).toEqual([]);
      expect({ id: readId, type, workspaceid, seqnum: Number(seqnum) }).toEqual(one);
    }),
    { numRuns: 5000 },
  );
  expect(accepted).toBeGreaterThan(300);
});
