import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createSignalWatch } from './signal-watch.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

it('B5 a hundred that wait for one signal are one listener, and none when the last has its answer', () => {
  const watch = createSignalWatch();
  const { signal } = new AbortController();
  const waiting = Array.from({ length: 100 }, () => watch.add(signal, () => {}));
  expect(listenersOf(signal)).toBe(1);
  for (const one of waiting.slice(1)) one.dispose();
  waiting[1]?.dispose();
  expect(listenersOf(signal)).toBe(1);
  waiting[0]?.dispose();
  expect(listenersOf(signal)).toBe(0);
  const again = watch.add(signal, () => {});
  expect(listenersOf(signal)).toBe(1);
  again.dispose();
  expect(listenersOf(signal)).toBe(0);
});

it('B5 an abort reaches each that still waits, once, and no other signal', () => {
  const watch = createSignalWatch();
  const [first, second] = [new AbortController(), new AbortController()];
  const told: string[] = [];
  const act = (): void => void told.push('twice');
  watch.add(first.signal, act);
  watch.add(first.signal, act);
  const gone = watch.add(first.signal, () => told.push('gone'));
  watch.add(second.signal, () => told.push('second'));
  gone.dispose();
  first.abort();
  gone.dispose();
  expect(told).toEqual(['twice', 'twice']);
  second.abort();
  expect(told).toEqual(['twice', 'twice', 'second']);
  expect(listenersOf(second.signal)).toBe(0);
});
