import { expect, it } from 'vitest';
import { createFakeClock } from '../engine/ports/fake-clock.ts';
import type { Output } from './cli/output.ts';
import { createEventLog } from './event-log.ts';

function open() {
  const clock = createFakeClock(0);
  const lines: Record<string, unknown>[] = [];
  const output = { talk: (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>) };
  return { clock, lines, log: createEventLog({ clock, output: output as Output }) };
}

it('A31 of ten thousand refused records the first are told in detail, then how many more there were', () => {
  const { clock, lines, log } = open();
  for (let seq = 1; seq <= 10_000; seq++) log('refused', { kind: 'receipt', seq, why: 'unsigned' });
  log('started');
  expect(lines.map(({ event, seq }) => [event, seq])).toEqual([
    ...[1, 2, 3, 4, 5].map((seq) => ['refused', seq]),
    ['started', undefined],
  ]);
  clock.advance(5_000);
  expect(lines.at(-1)).toMatchObject({ event: 'refused', more: 9_995 });
  // The next while begins with details again, and is quiet at its end.
  log('refused', { seq: 10_001 });
  clock.advance(5_000);
  expect(lines.at(-1)).toMatchObject({ event: 'refused', seq: 10_001 });
  expect(clock.timerCount).toBe(0);
});

it('A31 what was held back is told before the end, and other events are told each', () => {
  const { clock, lines, log } = open();
  for (let seq = 1; seq <= 7; seq++) log('refused', { seq });
  for (let seq = 1; seq <= 7; seq++) log('buried', { seq });
  log('stopped');
  expect(lines.slice(-2)).toMatchObject([{ event: 'refused', more: 2 }, { event: 'stopped' }]);
  expect(lines.filter(({ event }) => event === 'buried')).toHaveLength(7);
  expect(clock.timerCount).toBe(0);
});
