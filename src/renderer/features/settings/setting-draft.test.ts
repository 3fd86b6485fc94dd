import { expect, it } from 'vitest';
import { readDraft } from './setting-draft.ts';

const setting = (value: string | number | null, isDefault = false) => ({
  ...{ key: 'k', value, isDefault, help: '' },
  allowed: '0 (never) to 1440',
  ...{ applies: 'at-once' as const, isWaiting: false },
});

it.each([
  [' 30 ', setting(15), true, { kind: 'set', value: 30 }],
  ['15', setting(15), true, { kind: 'unchanged' }],
  ['-1', setting(15), true, { kind: 'set', value: -1 }],
  ['1.5', setting(15), true, { kind: 'wrong', message: 'Type a whole number: 0 (never) to 1440.' }],
  ['soon', setting(15), true, { kind: 'wrong', message: expect.any(String) }],
  ['', setting(15), true, { kind: 'reset' }],
  ['', setting(15, true), true, { kind: 'unchanged' }],
  ['', setting(null, true), false, { kind: 'unchanged' }],
  ['nats://a:4222', setting(null, true), false, { kind: 'set', value: 'nats://a:4222' }],
  ['', setting('nats://a:4222'), false, { kind: 'reset' }],
])('reads %j over %j as %j', (text, value, isNumber, expected) => {
  expect(readDraft(text, value, isNumber)).toEqual(expected);
});
