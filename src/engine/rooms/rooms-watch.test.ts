import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { OpenedRooms } from './operator-rooms.ts';
import { createRoomsWatch } from './rooms-watch.ts';

test('R63 a service that is started after the app is found within ten seconds, and one that answers is left alone for ten minutes', async () => {
  const clock = createFakeClock();
  let [lookCount, seekCount, isThere] = [0, 0, false];
  const ask = (): void => watch.noteService(isThere);
  const opened = {
    rooms: {
      async look() {
        lookCount++;
        ask();
      },
      async findRooms() {
        seekCount++;
        ask();
      },
    },
    engine: { fabric: { onStatus: () => ({ dispose: () => {} }), status: () => ({ kind: 'connected' }) } },
  } as unknown as OpenedRooms;
  const watch = createRoomsWatch({
    ...{ opened: () => opened, places: () => [], ownService: () => undefined, hasLogs: async () => true },
    loading: { inBackground: () => {}, begin: () => {} },
    notices: { follow: () => {}, begin: () => {} },
    ...{ clock, logger: createSilentLogger(), onChange: () => {} },
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  watch.openingChanged();
  await pass(30);
  expect([watch.hasService(), lookCount]).toEqual([false, 1]);
  isThere = true;
  await pass(10);
  expect([watch.hasService(), lookCount]).toEqual([true, 1]);
  const sought = seekCount;
  await pass(540);
  expect([seekCount, lookCount]).toEqual([sought, 1]);
  await pass(120);
  expect(lookCount).toBe(2);
  watch.dispose();
  expect(clock.timerCount).toBe(0);
});
