import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completionsAt, type FilterField, readFilter, readTime } from './typed-filter.ts';

const nowMs = Date.parse('2026-11-30T15:00:00Z');
const fields: readonly FilterField[] = [
  { name: 'error', kind: 'text', help: 'class of the error' },
  { name: 'queue', kind: 'text', help: 'queue' },
  { name: 'state', kind: 'choice', choices: ['open', 'archived'], help: 'state' },
  { name: 'attempts', kind: 'number', help: 'attempts' },
  { name: 'after', kind: 'time', help: 'failed after' },
];
const read = (text: string) => readFilter(text, fields, nowMs);

it('D12 a filter gives its terms with their places', () => {
  expect(read('error:timeout queue:"to pay" -state:open attempts>2 after:2h "no: route" x')).toEqual({
    terms: [
      { kind: 'field', field: 'error', operator: ':', text: 'timeout', isNot: false, from: 0, to: 13 },
      { kind: 'field', field: 'queue', operator: ':', text: 'to pay', isNot: false, from: 14, to: 28 },
      { kind: 'field', field: 'state', operator: ':', text: 'open', isNot: true, from: 29, to: 40 },
      { kind: 'field', field: 'attempts', operator: '>', text: '2', value: 2, isNot: false, from: 41, to: 51 },
      {
        kind: 'field',
        field: 'after',
        operator: ':',
        text: '2h',
        value: nowMs - 7_200_000,
        isNot: false,
        from: 52,
        to: 60,
      },
      { kind: 'word', text: 'no: route', isNot: false, from: 61, to: 72 },
      { kind: 'word', text: 'x', isNot: false, from: 73, to: 74 },
    ],
    faults: [],
  });
});

it.each([
  ['queue>a', 'queue has no order', 0, 7],
  ['a state:dead', 'one of open, archived', 2, 12],
  ['attempts:two', 'whole number', 0, 12],
  ['after:2026-02-30', 'no time', 0, 16],
  ['worker:w1', 'there is no worker:', 0, 9],
  ['queue:"pay', 'not closed', 0, 10],
  ['queue:', 'needs a value', 0, 6],
  ['- x', 'nothing stands after the minus', 0, 1],
])('D12 %s is a fault that says what to type', (text, message, from, to) => {
  const [fault] = read(text).faults;
  expect(fault).toMatchObject({ from, to });
  expect(fault?.message).toContain(message);
});

it('D12 whatever is typed is read, in time, and each part lies where it was typed', () => {
  const part = fc.oneof(fc.string(), fc.constantFrom('error:', '-', '"', 'after:1h', ' ', 'attempts<'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const { terms, faults } = read(text);
      for (const { from, to } of [...terms, ...faults]) expect(from).toBeLessThanOrEqual(to);
      for (const one of terms) expect(text.slice(one.from, one.to)).toContain(one.text);
    }),
  );
  expect(read('x '.repeat(5_000)).faults.length).toBeGreaterThan(0);
});

it.each([
  ['90s', nowMs - 90_000],
  ['14:05', Date.parse('2026-11-30T14:05:00Z')],
  ['2026-11-29', Date.parse('2026-11-29T00:00:00Z')],
  ['2026-11-29T10:30', Date.parse('2026-11-29T10:30:00Z')],
  ['25:00', undefined],
  ['yesterday', undefined],
])('D12 the time %s is read', (text, ms) => {
  expect(readTime(text, nowMs)).toBe(ms);
});

it('D12 names and values are offered where they may stand', () => {
  const at = (text: string) =>
    completionsAt({ text, caret: text.length }, fields, () => ['pay', 'to pay']).map((one) => one.text);
  expect(at('st')).toEqual(['state:']);
  expect(at('x -at')).toEqual(['attempts>']);
  expect(at('state:')).toEqual(['open', 'archived']);
  expect(at('queue:pa')).toEqual(['pay', '"to pay"']);
  expect(at('nothing:')).toEqual([]);
});
