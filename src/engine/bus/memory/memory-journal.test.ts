import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { defineJournalLaws } from './journal-laws.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { createOrderedMap } from './ordered-map.ts';

defineJournalLaws(it, async () => ({ journal: createMemoryJournal(), remove: async () => {} }));

it('B6 the map in memory holds and orders what a sorted list holds, after any changes', () => {
  const key = fc.integer({ min: 0, max: 1500 }).map((value) => String.fromCharCode(value >> 8, value & 255));
  const change = fc.record({ key, isDeleted: fc.integer({ min: 0, max: 3 }).map((die) => die === 0) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3000, size: 'max' }), key, key, (changes, from, to) => {
      const map = createOrderedMap<Uint8Array>();
      const model = new Map<string, number>();
      changes.forEach(({ key: changed, isDeleted }, index) => {
        if (isDeleted) model.delete(changed);
        else model.set(changed, index);
        if (isDeleted) map.delete(changed);
        else map.set(changed, utf8(String(index)));
      });
      const expected = [...model].filter(([at]) => at >= from && at < to).sort(([a], [b]) => (a < b ? -1 : 1));
      const found = [...map.view(from, to)].map((entry) => [entry.key, Number(Buffer.from(entry.value))]);
      expect(found).toEqual(expected);
      for (const { key: changed } of changes.slice(0, 50)) {
        const value = map.get(changed);
        expect(value && Number(Buffer.from(value))).toBe(model.get(changed));
      }
    }),
    { numRuns: 60 },
  );
});
