import { expect, test } from 'vitest';
import { keyOf as memberOf, writeRoom } from '../../../tests/support/room-fixture.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createRoomKeyWants } from './room-key-wants.ts';
import { createRoomTimeline } from './room-timeline.ts';

function makeWants(member = 1) {
  const clock = createFakeClock();
  const { log, write } = writeRoom();
  const timeline = createRoomTimeline({ leads: () => false, isWhole: () => true });
  const asked: number[] = [];
  let hasKey = false;
  /** The only epoch whose key is missing. */
  let missingEpoch: number | undefined;
  const wants = createRoomKeyWants({
    ...{ self: memberOf(member), clock, lookSoon: () => {} },
    reader: { log: () => log, timeline: () => timeline },
    keyring: {
      keyOf: (_, epoch) => (hasKey && epoch !== missingEpoch ? ({} as never) : undefined),
      baseOf: (_, epoch) => log.epochs()[epoch],
    },
    exchange: { request: async (_, epoch) => void asked.push(epoch) },
  });
  return {
    ...{ clock, log, write, timeline, asked, wants },
    setKey: (is: boolean) => {
      hasKey = is;
    },
    setMissing: (epoch: number) => {
      missingEpoch = epoch;
    },
    /** Looks every second. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 1_000) {
        clock.advance(1_000);
        await wants.askIfDue();
      }
    },
  };
}

test('R28 a key that does not come by itself is asked for after 3 s, then ever more seldom, at last every 15 min', async () => {
  const { wants, asked, pass } = makeWants();
  await wants.askIfDue();
  await pass(2_000);
  expect(asked).toHaveLength(0);
  await pass(1_000);
  expect(asked).toHaveLength(1);
  await pass(10 * 60_000);
  const soon = asked.length;
  expect(soon).toBeLessThanOrEqual(6);
  await pass(60 * 60_000);
  expect(asked.length - soon).toBeGreaterThanOrEqual(3);
  expect(asked.length - soon).toBeLessThanOrEqual(5);
});

test('R28 nobody asks for a key that came, nor who is not in', async () => {
  const here = makeWants();
  here.setKey(true);
  await here.pass(60_000);
  const outside = makeWants(2);
  await outside.pass(60_000);
  expect([here.asked, outside.asked]).toEqual([[], []]);
});

test('R28 of many keys that are missing only the 32 newest are asked for at once', async () => {
  const { write, timeline, asked, wants } = makeWants();
  for (let n = 0; n < 100; n++) {
    write(1, { type: 'REKEY', commit: 'A'.repeat(43), cause: 'hand' });
    const about = { seq: 2_000 + n, atMs: 0, messageId: `${n}`, kind: 'text', peer: 'x', sign: 'x' } as const;
    timeline.put({ ...about, epoch: n, isCounted: true, notOpened: { cause: 'no-key', detail: '' } });
  }
  await wants.ask();
  expect(asked).toHaveLength(32);
  expect(Math.min(...asked)).toBe(69);
});

test.each([
  ['no-key', [0]],
  ['withheld', []],
])('R28 the key of an older epoch is asked for though the present one is here; %s: %j', async (cause, expected) => {
  const { write, timeline, asked, pass, setKey, setMissing } = makeWants();
  write(1, { type: 'REKEY', commit: 'A'.repeat(43), cause: 'hand' });
  setKey(true);
  setMissing(0);
  const about = { seq: 15, atMs: 0, messageId: 'm', kind: 'text', peer: 'x', sign: 'x', epoch: 0 } as const;
  timeline.put({ ...about, isCounted: true, notOpened: { cause, detail: '' } });
  await pass(10_000);
  expect(asked).toEqual(expected);
});
