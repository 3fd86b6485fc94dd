import { expect, test } from 'vitest';
import { keyOf as memberOf, writeRoom } from '../../../tests/support/room-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import { emptyRoomFile, type RoomFileState } from './room-file.ts';
import { createRoomKeyDuties } from './room-key-duties.ts';
import type { EpochStart } from './room-log.ts';

const dayMs = 24 * 3_600_000;

/** Duties of peer 1, over a file that outlives its process. */
function makeDuties() {
  const written = writeRoom();
  const { log } = written;
  const given: string[] = [];
  const missing = new Set<number>();
  let state: RoomFileState = emptyRoomFile;
  let nowMs = 0;
  let isDown = false;
  const file = {
    read: () => state,
    async update(change: (before: RoomFileState) => RoomFileState) {
      state = change(state);
    },
  } as SharedJsonFile<RoomFileState>;
  const note =
    (kind: string) =>
    async (_: unknown, { epoch }: EpochStart) => {
      if (isDown) throw new VakError('disk-full', 'nothing can be kept');
      given.push(`${kind} ${epoch}`);
    };
  const start = () =>
    createRoomKeyDuties({
      ...{ self: memberOf(1), logs: { log: () => log }, file, clock: { now: () => nowMs } },
      keyring: { keyOf: (_: unknown, epoch: number) => (missing.has(epoch) ? undefined : {}) } as never,
      exchange: { handOut: note('hand-out'), admit: note('admit') },
    });
  return {
    ...{ ...written, given, missing, start },
    down: (is: boolean) => {
      isDown = is;
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}
const rekey = { type: 'REKEY', commit: 'A'.repeat(43), cause: 'hand' } as const;

test('R32 a key that its author had no time to give is given by the next start, and then never again', async () => {
  const { start, write, admit, given } = makeDuties();
  admit(2);
  await start().run();
  expect(given).toEqual(['admit 1']);
  write(1, rekey);
  // Killed before it gave anything.
  await start().run();
  expect(given).toEqual(['admit 1', 'hand-out 2']);
  await start().run();
  expect(given).toHaveLength(2);
});

test('R32 what could not be put on disk is owed still', async () => {
  const { start, write, given, down } = makeDuties();
  write(1, rekey);
  down(true);
  const duties = start();
  await expect(duties.run()).rejects.toMatchObject({ code: 'disk-full' });
  down(false);
  await duties.run();
  expect(given).toEqual(['hand-out 1']);
});

test('R32 while its key is not here, or the key store is locked, a duty waits and holds up no other; a week later it is over', async () => {
  const { start, admit, given, missing, wait } = makeDuties();
  missing.add(1);
  admit(2, 3);
  const duties = start();
  await duties.run();
  await duties.run();
  expect(given).toEqual(['admit 2']);
  missing.clear();
  await duties.run();
  await duties.run();
  expect(given).toEqual(['admit 2', 'admit 1']);
  missing.add(3);
  admit(4);
  await duties.run();
  wait(7 * dayMs);
  await duties.run();
  // Whoever it is owed to is told that it is not here.
  expect(given).toEqual(['admit 2', 'admit 1', 'admit 3']);
});

test('R32 only what this peer owes, and of its own epochs only the present one: whoever was away asks for the others', async () => {
  const { start, write, admit, given } = makeDuties();
  admit(2);
  write(2, rekey);
  write(1, rekey);
  write(1, { ...rekey, commit: `B${'A'.repeat(42)}` });
  await start().run();
  expect(given).toEqual(['admit 1', 'hand-out 4']);
});
