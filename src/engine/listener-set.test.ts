import { expect, test } from 'vitest';
import { createLineLogger } from '../../tests/support/line-logger.ts';
import { createListenerSet } from './listener-set.ts';

test('listeners: one that throws is logged and harms no other; one that is disposed, or cleared away, hears no more', () => {
  const log: string[] = [];
  const heard: string[] = [];
  const set = createListenerSet<string>(createLineLogger(log), 'test.listener-threw');
  const listen = (value: string): number => heard.push(value);
  const first = set.add(listen);
  set.add(() => {
    throw new Error('a listener');
  });
  set.add(listen);
  expect(() => set.tell('a')).not.toThrow();
  expect(heard).toEqual(['a', 'a']);
  expect(log.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', event: 'test.listener-threw' }]);
  first.dispose();
  set.tell('b');
  expect(heard).toEqual(['a', 'a', 'b']);
  set.clear();
  set.tell('c');
  expect(heard).toEqual(['a', 'a', 'b']);
});

test('listeners: who comes or goes while something is told does not change whom it is told', () => {
  const heard: string[] = [];
  const set = createListenerSet<string>(createLineLogger([]), 'test');
  set.add((value) => {
    heard.push(`first ${value}`);
    second.dispose();
    if (value === 'a') set.add((late) => heard.push(`late ${late}`));
  });
  const second = set.add((value) => heard.push(`second ${value}`));
  set.tell('a');
  expect(heard).toEqual(['first a', 'second a']);
  set.tell('b');
  expect(heard).toEqual(['first a', 'second a', 'first b', 'late b']);
});
