import { expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { keyOf, rekey, writeRoom } from '../../../tests/support/room-fixture.ts';
import { memoryStore } from '../../../tests/support/room-people.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createRoomCommits } from './room-commits.ts';
import { createRoomKeyring } from './room-keyring.ts';
import type { RoomLogReader } from './room-log-reader.ts';

/** Peer `self` in a room of peers 1 and 2; `answer`: what its appends come to. */
function makeCommits(self: number, answer: () => Promise<number>) {
  const written = writeRoom();
  written.admit(2);
  const store = memoryStore();
  let appendCount = 0;
  const commits = createRoomCommits({
    client: {
      append: () => {
        appendCount++;
        return answer();
      },
    },
    ...{ keyring: createRoomKeyring(store, keyOf(self)), signer: signerOf(self), randomness: createSystemRandomness() },
  });
  const reader = {
    ...{ room: written.room, log: () => written.log, catchUp: async () => {} },
    standing: () => ({ stop: undefined, isBehind: false, skipped: [], skippedCount: 0 }),
  } as unknown as RoomLogReader;
  return { ...written, commits, reader, keyCount: () => store.read().roomKeys.size, appendCount: () => appendCount };
}

const noService = async (): Promise<number> => {
  throw new VakError('no-responders', 'nobody serves', { retryable: true });
};

test('R52 a key that cannot be brought into the log is made once, however often that is tried: it takes no other key’s place', async () => {
  const { commits, reader, keyCount } = makeCommits(1, noService);
  for (let tries = 0; tries < 20; tries++)
    await expect(commits.commit(reader, { type: 'REKEY', cause: 'age' })).rejects.toThrow('nobody serves');
  expect(keyCount()).toBe(1);
  // Whom it is to keep out makes another change of it.
  await expect(commits.commit(reader, { type: 'KICK' }, { subject: keyOf(2) })).rejects.toThrow('nobody serves');
  expect(keyCount()).toBe(2);
});

test('R52 for what the log refuses no key is made', async () => {
  const { commits, reader, keyCount, appendCount } = makeCommits(3, noService);
  await expect(commits.commit(reader, { type: 'REKEY', cause: 'hand' })).rejects.toMatchObject({ code: 'forbidden' });
  expect([keyCount(), appendCount()]).toEqual([0, 0]);
});

test('R2 R4 of members who all see that a new key is due one brings it: who was overtaken by it brings none', async () => {
  const { commits, reader, write, log, appendCount } = makeCommits(1, async () => {
    write(2, rekey);
    throw new VakError('conflict', 'taken', { details: { why: 'taken' } });
  });
  await commits.commit(reader, { type: 'REKEY', cause: 'age' });
  expect(appendCount()).toBe(1);
  expect(log.epochs().at(-1)).toMatchObject({ kind: 'REKEY', author: keyOf(2) });
});
