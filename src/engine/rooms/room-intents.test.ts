import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { maxIntents, type RoomIntent } from './room-file.ts';
import { createRoomIntents, frameIdOf, intentBatch } from './room-intents.ts';

/** Those of a process, over what another one may share; `there`: what lies in the room. */
function openIntents(boot: string, shared: { kept: readonly RoomIntent[]; writeCount: number }, there: Set<string>) {
  const file = {
    read: () => shared.kept,
    async update(change: (intents: readonly RoomIntent[]) => readonly RoomIntent[]) {
      shared.kept = change(shared.kept);
      shared.writeCount++;
    },
  };
  const isThere = (messageId: string): boolean => there.has(messageId);
  const randomness = createSeededRandomness(boot.length);
  return createRoomIntents(file, { clock: createFakeClock(1_000), randomness, boot, isThere });
}

const makeIntents = () => openIntents('AAAA', { kept: [], writeCount: 0 }, new Set());

/** So many that wait in a file that two processes share. */
async function prepareWaiting(count: number) {
  const [shared, there] = [{ kept: [] as readonly RoomIntent[], writeCount: 0 }, new Set<string>()];
  const [one, other] = [openIntents('A', shared, there), openIntents('BB', shared, there)];
  for (let at = 0; at < count; at++) await one.add({ kind: 'text', text: `${at}` });
  shared.writeCount = 0;
  /** Sends so many, as the sender does. */
  async function send(intents: typeof one, limit: number): Promise<number> {
    for (let sent = 0; sent < limit; sent++) {
      const next = intents.next();
      if (next === undefined) return sent;
      await intents.markSealed(next.messageId);
      there.add(next.messageId);
      await intents.settle(false);
    }
    return limit;
  }
  return { shared, there, one, other, send };
}

test('R79 however many wait, the file of their room is written once for many of them, and not for each', async () => {
  const { shared, one, send } = await prepareWaiting(maxIntents);
  expect(await send(one, 2 * maxIntents)).toBe(maxIntents);
  await one.settle(true);
  expect(shared.kept).toEqual([]);
  expect(shared.writeCount).toBeLessThanOrEqual(2 * Math.ceil(maxIntents / intentBatch) + 1);
});

test('R79 R51 what lies in the room is marked before it goes, and all that may lie there is after a kill at any moment', async () => {
  const { shared, there, one, send } = await prepareWaiting(200);
  for (let count = 0; count < 200; count += 7) {
    await send(one, 7);
    const marked = new Set(shared.kept.filter(({ isSealed }) => isSealed).map(({ messageId }) => messageId));
    const killed = openIntents('CCC', shared, there);
    for (const intent of shared.kept) {
      if (there.has(intent.messageId)) expect(marked.has(intent.messageId)).toBe(true);
      expect(killed.mayBeThere(intent)).toBe(intent.isSealed);
    }
  }
});

test('R79 R8 a mark that was set ahead is taken back when its turn does not come, and then the message can be taken back, too', async () => {
  const { shared, one, other, send } = await prepareWaiting(10);
  await send(one, 3);
  const [, , , fourth, fifth] = shared.kept as RoomIntent[];
  if (fourth === undefined || fifth === undefined) throw new TypeError('ten wait');
  expect([one.mayBeThere(fourth), other.mayBeThere(fourth)]).toEqual([false, true]);
  // Another process seals one of them meanwhile: that mark is its own by now, and stays.
  await other.markSealed(fifth.messageId);
  await one.settle(true);
  expect(shared.kept.map(({ isSealed }) => isSealed)).toEqual([false, true, false, false, false, false, false]);
  expect(shared.kept.every(({ ahead }) => ahead === undefined)).toBe(true);
});

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
