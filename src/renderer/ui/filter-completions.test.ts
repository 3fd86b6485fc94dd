import { expect, it } from 'vitest';
import { letterFields as fields } from '../../shared/filter/letter-filter.ts';
import { complete, filterCompletions } from './filter-completions.ts';

it('D12 a name is completed to its field, and goes on to its values', () => {
  const [offer] = filterCompletions('after:2h qu', 11, { fields, known: {} });
  expect(offer?.text).toBe('queue:');
  const field = complete('after:2h qu', offer as NonNullable<typeof offer>);
  expect(field).toEqual({ text: 'after:2h queue:', caret: 15 });
  const values = filterCompletions(field.text, field.caret, { fields, known: { queue: ['render', 'to pay'] } });
  expect(values.map(({ text }) => text)).toEqual(['render', '"to pay"']);
  expect(complete(field.text, values[0] as NonNullable<typeof offer>).text).toBe('after:2h queue:render ');
});

it('D12 what stands there whole is offered no more', () => {
  expect(filterCompletions('state:open', 10, { fields, known: {} }).map(({ text }) => text)).toEqual([]);
});
