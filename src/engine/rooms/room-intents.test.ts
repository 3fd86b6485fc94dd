import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { maxIntents, type RoomIntent } from './room-file.ts';
import { createRoomIntents, frameIdOf } from './room-intents.ts';

function makeIntents() {
  let kept: readonly RoomIntent[] = [];
  const file = {
    read: () => kept,
    async update(change: (intents: readonly RoomIntent[]) => readonly RoomIntent[]) {
      kept = change(kept);
    },
  };
  return createRoomIntents(file, { clock: createFakeClock(1_000), randomness: createSeededRandomness(3) });
}

test('R13 what waits for a room is bounded in size', async () => {
  const intents = makeIntents();
  const text = 'x'.repeat(65_536);
  for (let count = 0; count < 127; count++) await intents.add({ kind: 'text', text });
  await expect(intents.add({ kind: 'text', text })).rejects.toMatchObject({ code: 'limit-exceeded' });
  await expect(intents.add({ kind: 'text', text: `${text}x` })).rejects.toMatchObject({ code: 'invalid-payload' });
  await intents.add({ kind: 'text', text: 'a short one' });
  expect(intents.all()).toHaveLength(128);
});

test('R13 what waits for a room is bounded in number', async () => {
  const intents = makeIntents();
  for (let count = 0; count < maxIntents; count++) await intents.add({ kind: 'text', text: 'x' });
  await expect(intents.add({ kind: 'text', text: 'x' })).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test('R51 the id of a frame is that of its intent and epoch, and of nothing that others see', async () => {
  const intents = makeIntents();
  await intents.add({ kind: 'text', text: 'x' });
  const [intent] = intents.all() as [RoomIntent];
  expect(frameIdOf(intent, 3)).toBe(frameIdOf({ ...intent, isSealed: true }, 3));
  expect(frameIdOf(intent, 4)).not.toBe(frameIdOf(intent, 3));
  expect(frameIdOf({ ...intent, token: 'AAAAAAAAAAAAAAAAAAAAAA' }, 3)).not.toBe(frameIdOf(intent, 3));
});

test('R10 one that failed is tried again only when somebody says so', async () => {
  const intents = makeIntents();
  const first = await intents.add({ kind: 'text', text: 'first' });
  const second = await intents.add({ kind: 'text', text: 'second' });
  await intents.setFailed(first, { code: 'forbidden', message: 'no', retryable: false });
  expect(intents.next()?.messageId).toBe(second);
  await intents.setFailed(first, null);
  expect(intents.next()?.messageId).toBe(first);
});
