import { expect, it } from 'vitest';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import type { KeyValueEntry } from '../durable.ts';
import type { WireChange } from './durable-frames.ts';
import { createWatchFeed } from './watch-feed.ts';

const mebibyte = 1024 * 1024;

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A bucket whose watch a test plays, and a peer that hears batches. */
function openFeed() {
  const clock = createFakeClock();
  const values = new Map<string, KeyValueEntry>();
  const batches: { readonly changes: readonly WireChange[]; readonly isReady: boolean }[] = [];
  const bugs: unknown[] = [];
  const reads: string[] = [];
  const state = { isDisposed: false, failure: undefined as unknown, untilRead: undefined as Promise<void> | undefined };
  let tell: (change: WireChange) => void = () => {};
  let ready = (): void => {};
  let revision = 0;
  const feed = createWatchFeed({
    clock,
    bucket: {
      async get(key) {
        reads.push(key);
        if (state.untilRead !== undefined) await state.untilRead;
        if (state.failure !== undefined) throw state.failure;
        return values.get(key);
      },
      watch(onChange, onReady = () => {}) {
        tell = onChange;
        ready = onReady;
        return {
          dispose() {
            state.isDisposed = true;
          },
        };
      },
    },
    send: (changes, isReady) => batches.push({ changes, isReady }),
    onBug: (thrown) => bugs.push(thrown),
  });
  return {
    ...{ clock, feed, batches, bugs, reads, state },
    ready: () => ready(),
    /** Stored now, told now or later. */
    put(key: string, value: Uint8Array): () => void {
      const entry = { key, value, revision: ++revision, storedMs: 1 };
      values.set(key, entry);
      return () => tell({ key, entry });
    },
    remove(key: string): () => void {
      values.delete(key);
      return () => tell({ key, entry: undefined });
    },
    told: () => batches.map(({ changes, isReady }) => [...changes.map(describe), ...(isReady ? ['ready'] : [])]),
  };
}

function describe({ key, entry }: WireChange): string {
  return `${key}=${entry === undefined ? '' : toText(entry.value.subarray(0, 4))}`;
}

const large = (text: string): Uint8Array => {
  const bytes = new Uint8Array(mebibyte).fill(32);
  bytes.set(utf8(text));
  return bytes;
};

it('B5 one batch is under way; what comes meanwhile waits, of each key the newest, in the order of the changes', async () => {
  const { feed, put, remove, ready, told } = openFeed();
  put('a', utf8('1'))();
  ready();
  await settle();
  for (const text of ['2', '3']) for (const key of ['b', 'a', 'c']) put(key, utf8(text))();
  put('b', utf8('4'))();
  remove('c')();
  await settle();
  expect(told()).toEqual([['a=1', 'ready']]);
  feed.next();
  await settle();
  expect(told().slice(1)).toEqual([['a=3', 'b=4', 'c=']]);
  feed.next();
  feed.next();
  await settle();
  expect(told()).toHaveLength(2);
});

it('B5 a key that was there is told before ready, also when it changes before the peer has heard of it', async () => {
  const { feed, put, ready, told } = openFeed();
  put('a', utf8('1'))();
  await settle();
  put('b', utf8('1'))();
  put('c', utf8('1'))();
  ready();
  put('b', utf8('2'))();
  put('d', utf8('1'))();
  feed.next();
  await settle();
  feed.next();
  await settle();
  expect(told()).toEqual([['a=1'], ['b=2', 'c=1', 'ready'], ['d=1']]);
});

it('B5 a batch ends by its count and by its bytes', async () => {
  const { feed, put, ready, batches } = openFeed();
  ready();
  await settle();
  for (let count = 0; count < 300; count++) put(`k${count}`, utf8('x'))();
  for (let count = 0; count < 3; count++) put(`large${count}`, large('x'))();
  for (let round = 0; round < 5; round++) {
    feed.next();
    await settle();
  }
  expect(batches.map(({ changes }) => changes.length)).toEqual([0, 256, 45, 1, 1]);
});

it('B5 ready is told when all that was there is, however many batches that takes', async () => {
  const { feed, put, ready, batches } = openFeed();
  put('first', utf8('x'))();
  await settle();
  for (let count = 0; count < 300; count++) put(`k${count}`, utf8('x'))();
  ready();
  for (let round = 0; round < 3; round++) {
    feed.next();
    await settle();
  }
  expect(batches.map(({ changes, isReady }) => [changes.length, isReady])).toEqual([
    ...[
      [1, false],
      [256, false],
      [44, true],
    ],
  ]);
});

it('B5 a value that is not kept is told before ready, though it has been replaced', async () => {
  const { feed, put, ready, told } = openFeed();
  put('first', utf8('x'))();
  await settle();
  for (const key of ['a', 'b', 'c', 'd', 'e']) put(key, large(key))();
  put('e', utf8('new'));
  ready();
  for (let round = 0; round < 5; round++) {
    feed.next();
    await settle();
  }
  expect(told().flat().slice(-2)).toEqual(['e=new', 'ready']);
});

it('B5 what was replaced or told takes no room', async () => {
  const { feed, put, ready, reads } = openFeed();
  ready();
  await settle();
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 9; count++) put('a', large('a'))();
    for (const key of ['b', 'c', 'd']) put(key, large(key))();
    for (let batch = 0; batch < 4; batch++) {
      feed.next();
      await settle();
    }
  }
  expect(reads).toEqual([]);
});

it('B5 a value that could not be read does not come after what replaced it', async () => {
  const { feed, put, ready, told, state, clock } = openFeed();
  ready();
  await settle();
  for (const key of ['a', 'b', 'c', 'd', 'e']) put(key, large(key))();
  let read = (): void => {};
  state.untilRead = new Promise((resolve) => {
    read = resolve;
  });
  state.failure = new VakError('disconnected', 'gone', { retryable: true });
  for (let round = 0; round < 5; round++) {
    feed.next();
    await settle();
  }
  put('e', utf8('new'))();
  read();
  await settle();
  clock.advance(1_000);
  await settle();
  expect(told().flat().slice(-2)).toEqual(['d=d   ', 'e=new']);
});

it('B5 a value goes without the memory around it', async () => {
  const { put, batches } = openFeed();
  put('a', new Uint8Array(1_000).subarray(10, 20))();
  await settle();
  expect(batches[0]?.changes[0]?.entry?.value.buffer.byteLength).toBe(10);
});

it('B5 of what waits 4 MiB are kept; values beyond are read again when they are told', async () => {
  const { feed, put, ready, reads, told } = openFeed();
  ready();
  await settle();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) put(key, large(key))();
  await settle();
  for (let round = 0; round < 6; round++) {
    feed.next();
    await settle();
  }
  expect(told().flat()).toEqual(['ready', 'a=a   ', 'b=b   ', 'c=c   ', 'd=d   ', 'e=e   ', 'f=f   ']);
  expect(reads).toEqual(['e', 'f']);
});

it('B5 a value that is not kept and has been replaced meanwhile is told by what replaced it, once', async () => {
  const { feed, put, remove, ready, told } = openFeed();
  ready();
  await settle();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) put(key, large(key))();
  const later = [put('e', utf8('new')), remove('f')];
  for (let round = 0; round < 6; round++) {
    feed.next();
    await settle();
  }
  expect(told().flat().slice(-2)).toEqual(['d=d   ', 'g=g   ']);
  for (const tell of later) tell();
  feed.next();
  await settle();
  feed.next();
  await settle();
  expect(told().flat().slice(-2)).toEqual(['e=new', 'f=']);
});

it('B5 a value that cannot be read now is read again; a bug ends the watch', async () => {
  const { feed, put, ready, told, clock, state, bugs } = openFeed();
  ready();
  await settle();
  for (const key of ['a', 'b', 'c', 'd', 'e']) put(key, large(key))();
  state.failure = new VakError('disconnected', 'gone', { retryable: true });
  for (let round = 0; round < 6; round++) {
    feed.next();
    await settle();
  }
  expect(told().flat().at(-1)).toBe('d=d   ');
  state.failure = undefined;
  clock.advance(1_000);
  await settle();
  expect(told().flat().at(-1)).toBe('e=e   ');
  for (const key of ['a', 'b', 'c', 'd', 'e']) put(key, large(key))();
  state.failure = new TypeError('bug');
  for (let round = 0; round < 6; round++) {
    feed.next();
    await settle();
  }
  expect(bugs).toEqual([state.failure]);
});

it('B5 after its end a feed sends nothing and holds nothing', async () => {
  const { feed, put, ready, told, clock, state } = openFeed();
  ready();
  await settle();
  const tell = put('a', utf8('1'));
  state.failure = new VakError('disconnected', 'gone', { retryable: true });
  for (const key of ['v', 'w', 'x', 'y', 'z']) put(key, large(key))();
  for (let round = 0; round < 6; round++) {
    feed.next();
    await settle();
  }
  expect(clock.timerCount).toBe(1);
  feed.dispose();
  tell();
  feed.next();
  await settle();
  expect([clock.timerCount, state.isDisposed, told().flat().at(-1)]).toEqual([0, true, 'y=y   ']);
});
