import { expect, test } from 'vitest';
import { createDisposer } from '../../shared/base/disposer.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createKeyLooking } from './room-key-looking.ts';

function makeLooking() {
  const clock = createFakeClock();
  const held = createDisposer();
  let [readCount, underWay, mostUnderWay] = [0, 0, 0];
  const looking = createKeyLooking({
    inbox: {
      waitingCount: () => 1_000,
      async read() {
        readCount++;
        underWay++;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
      },
    },
    exchange: { invitations: () => [] },
    desks: { openHints: async () => {}, lookSoon: () => {} },
    ...{ held, clock, logger: createSilentLogger(), onChange: () => {} },
  });
  const turn = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, held, looking, turn, counts: () => [readCount, mostUnderWay] };
}

test('R50 what waits for a log is judged once a second, however often rooms change', async () => {
  const { clock, held, looking, turn, counts } = makeLooking();
  for (let changes = 0; changes < 1_000; changes++) {
    looking.onDeskChange();
    clock.advance(2);
    await turn();
  }
  expect(counts()[0]).toBeLessThanOrEqual(3);
  held.dispose();
  looking.onDeskChange();
  expect(clock.timerCount).toBe(0);
});

test('R50 of many records that come at a time none begins a look beside another', async () => {
  const { looking, turn, counts } = makeLooking();
  for (let records = 0; records < 100; records++) looking.lookSoon();
  await turn();
  expect(counts()).toEqual([2, 1]);
});
