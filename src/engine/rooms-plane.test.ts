import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallContext } from '../../tests/support/call-context.ts';
import { createSilentNotifier, type SilentNotifier } from '../../tests/support/silent-notifier.ts';
import { createTestEngine, driveEngine } from '../../tests/support/test-engine.ts';
import { createTestProfiles, type TestProfiles } from '../../tests/support/test-profile.ts';
import type { RoomItem, RoomSummary } from '../shared/contract/rooms-contract.ts';
import type { Engine } from './engine.ts';
import type { Profile } from './identity/profile.ts';

const context = createCallContext();
let profiles: TestProfiles;
let profile: Profile;
let notifier: SilentNotifier;
let engine: Engine;

async function start(): Promise<void> {
  notifier = createSilentNotifier();
  engine = await createTestEngine(profiles, profile, { notifier });
  await engine.open();
}

beforeEach(async () => {
  profiles = createTestProfiles();
  profile = await profiles.open(profiles.folder());
  await start();
});

afterEach(async () => {
  await engine.stop();
  expect(profiles.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  await profiles.remove();
  expect(profiles.clock.timerCount).toBe(0);
});

const { until, during, snapshot } = driveEngine(
  () => profiles,
  () => engine,
  50,
);

const room = (id: string): RoomSummary | undefined => snapshot('rooms.state')?.rooms.find((one) => one.room === id);
const setUp = () => engine.services.identity.setUp({ peer: 'ada', displayName: 'Ada' }, context);
const page = async (id: string): Promise<readonly RoomItem[]> =>
  (await during(engine.services.rooms.page({ room: id, limit: 50 }, context))).items;
const toLine = (item: RoomItem): string => (item.kind === 'message' ? `${item.peer}: ${item.text}` : item.event);

test('R27 R62 rooms work on the embedded engine as soon as there is an operator, and are there after a lock', async () => {
  await setUp();
  await until(() => snapshot('rooms.state')?.hasService);
  const { rooms, identity } = engine.services;
  const { room: id } = await during(
    rooms.create({ name: 'Night shift', topic: 'who is on', history: 'joined' }, context),
  );
  expect(room(id)).toMatchObject({
    name: 'Night shift',
    standing: 'member',
    role: 'owner',
    memberCount: 1,
    unreadCount: 0,
  });
  const { messageId } = await during(rooms.send({ room: id, text: 'hello\nworld' }, context));
  await until(() => room(id)?.lastLine?.text === 'hello' && room(id)?.waitingCount === 0);
  expect((await page(id)).map(toLine)).toEqual(['created', 'ada: hello\nworld']);

  await identity.lock({}, context);
  expect(engine.snapshots.current().map(({ name }) => name)).not.toContain('rooms.state');
  await expect(during(rooms.send({ room: id, text: 'no' }, context))).rejects.toMatchObject({ code: 'locked' });
  await identity.unlock({}, context);
  await until(() => room(id)?.lastLine?.text === 'hello');
  await during(rooms.edit({ room: id, messageId, text: 'hello again' }, context));
  await until(() => room(id)?.lastLine?.text === 'hello again');
  expect(await page(id)).toMatchObject([{ kind: 'event' }, { seq: expect.any(Number), editedMs: expect.any(Number) }]);
});
