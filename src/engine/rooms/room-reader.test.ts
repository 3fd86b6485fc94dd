import { describe, expect, test } from 'vitest';
import { createListedStream } from '../../../tests/support/listed-stream.ts';
import { keyOf, writeRoom } from '../../../tests/support/room-fixture.ts';
import { messageIdOf } from '../../../tests/support/room-key-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { FrameIntakes } from './frame-intake.ts';
import { emptyRoomFile } from './room-file.ts';
import type { VerifiedFrame } from './room-frame.ts';
import { createRoomReader } from './room-reader.ts';
import type { TimelineMessage } from './room-timeline.ts';

const boot = 'AAAAAAAAAAAAAAAAAAAAAA';
const self = keyOf(1);

/** A room of which every message is `<number>`, the counter of the one boot of its only sender. */
function makeRoom({ ctLength = 10 } = {}) {
  const written = writeRoom();
  const stream = createListedStream('messages', 11);
  let hasKey = true;
  let openCount = 0;
  let takeCount = 0;
  /** Nobody knows a grant of its sender. */
  let isUndecided = false;
  /** What that one was sealed with is not the room's key. */
  let tampered: string | undefined;
  const frame = { ct: 'A'.repeat(ctLength) } as VerifiedFrame;
  const open = (_: VerifiedFrame, message: TimelineMessage): TimelineMessage => {
    const { notOpened: _notOpened, content: _content, ...place } = message;
    openCount++;
    if (place.messageId === tampered) return { ...place, notOpened: { cause: 'tampered', detail: '' } };
    if (!hasKey) return { ...place, notOpened: { cause: 'no-key', detail: '' } };
    return { ...place, content: { kind: 'text', text: place.messageId } };
  };
  const intake: FrameIntakes = {
    open,
    canOpen: () => hasKey,
    take({ seq, data }, { window }) {
      takeCount++;
      if (isUndecided) return { kind: 'undecided' };
      const counter = Number(toText(data));
      const fault = window.take({ epoch: 0, sender: 'peer-1', boot, counter });
      const about = {
        seq,
        atMs: 0,
        messageId: messageIdOf(counter),
        kind: 'text',
        peer: 'peer-1',
        sign: self,
      } as const;
      const message = { ...about, epoch: 0, isCounted: fault === undefined };
      if (fault !== undefined)
        return { kind: 'shown', message: { ...message, notOpened: { cause: fault, detail: '' } } };
      const opened = open(frame, message);
      return opened.content === undefined
        ? { kind: 'shown', message: opened, frame }
        : { kind: 'shown', message: opened };
    },
  };
  const clock = createFakeClock();
  const logs = {
    room: written.room,
    log: () => written.log,
    standing: () => ({ stop: undefined, isBehind: false, skipped: [], skippedCount: 0 }),
    catchUp: async () => {},
  };
  const readerFrom = (saved = emptyRoomFile as Parameters<typeof createRoomReader>[0]['saved']) =>
    createRoomReader({ workspace: 'acme', durable: stream.durable, logs, intake, self, saved, clock });
  return {
    ...{ stream, clock },
    readerFrom,
    say: (...counters: number[]) => counters.map((counter) => stream.add(utf8(String(counter)))),
    setKey: (is: boolean) => {
      hasKey = is;
    },
    tamper: (messageId: string) => {
      tampered = messageId;
    },
    openCount: () => openCount,
    takeCount: () => takeCount,
    setUndecided: (is: boolean) => {
      isUndecided = is;
    },
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const causes = (reader: ReturnType<ReturnType<typeof makeRoom>['readerFrom']>): (string | undefined)[] =>
  reader
    .timeline()
    .all()
    .map(({ notOpened }) => notOpened?.cause);

describe('R33 reading a room', () => {
  test('R33 whoever asks at the same time is answered one after the other: nothing goes through the window twice, nothing is left out', async () => {
    const { readerFrom, say } = makeRoom();
    say(...range(900));
    const first = readerFrom();
    await Promise.all([first.catchUp(), first.catchUp(), first.tryAgain(), first.catchUp()]);
    expect(causes(first)).toEqual(range(900).map(() => undefined));
    const again = readerFrom(first.state());
    say(...range(300).map((counter) => counter + 900));
    await Promise.all([
      again.loadOlder(250),
      again.catchUp(),
      again.loadOlder(250),
      again.catchUp(),
      again.loadOlder(1_000),
    ]);
    expect(
      again
        .timeline()
        .all()
        .map(({ messageId }) => messageId),
    ).toEqual(range(1_200).map(messageIdOf));
    expect(causes(again)).toEqual(range(1_200).map(() => undefined));
    expect(again.hasOlder()).toBe(false);
  });

  test('R33 what the window refused is refused again when it is read again, from the end backwards too', async () => {
    const { readerFrom, say } = makeRoom();
    say(1, 2, 1, 3, 60_000, 2);
    const reader = readerFrom();
    await reader.catchUp();
    const expected = [undefined, undefined, 'replayed', undefined, 'jumped', 'replayed'];
    expect(causes(reader)).toEqual(expected);
    const again = readerFrom(reader.state());
    await again.catchUp();
    await again.loadOlder(100);
    expect(causes(again)).toEqual(expected);
    // Even if what was refused is forgotten: the first of one id counts.
    const forgetful = readerFrom({ ...reader.state(), refused: [] });
    await forgetful.loadOlder(100);
    expect(causes(forgetful).filter((cause) => cause === 'replayed')).toHaveLength(2);
  });

  test('R13 a room whose key is missing holds a bounded number of bytes; with the key all of it is there', async () => {
    const { readerFrom, say, setKey } = makeRoom({ ctLength: 2 ** 20 });
    setKey(false);
    say(...range(60));
    const reader = readerFrom();
    await reader.catchUp();
    expect(causes(reader)).toEqual(range(60).map(() => 'no-key'));
    setKey(true);
    await reader.tryAgain();
    await reader.tryAgain();
    expect(causes(reader)).toEqual(range(60).map(() => undefined));
  });

  test('R44 what another key sealed is tried once, and of frames that lack their key one of each epoch at a time', async () => {
    const { readerFrom, say, setKey, tamper, openCount } = makeRoom();
    say(0);
    tamper(messageIdOf(0));
    const reader = readerFrom();
    await reader.catchUp();
    setKey(false);
    say(...range(100).map((counter) => counter + 1));
    await reader.catchUp();
    expect(openCount()).toBe(101);
    for (let look = 0; look < 50; look++) await reader.tryAgain();
    expect(openCount()).toBe(151);
    setKey(true);
    await reader.tryAgain();
    expect(openCount()).toBe(251);
    expect(causes(reader)).toEqual(['tampered', ...range(100).map(() => undefined)]);
  });

  test('R58 frames whose sender has no grant are judged again every 5 s, not at each message', async () => {
    const { readerFrom, say, setUndecided, takeCount, clock } = makeRoom();
    setUndecided(true);
    say(...range(40));
    const reader = readerFrom();
    await reader.catchUp();
    for (let look = 0; look < 100; look++) {
      clock.advance(100);
      await reader.tryAgain();
    }
    expect(takeCount()).toBeLessThanOrEqual(40 + 3 * 40);
    setUndecided(false);
    clock.advance(5_000);
    await reader.tryAgain();
    expect(causes(reader)).toEqual(range(40).map(() => undefined));
  });

  test('R13 of a stretch without end only as much is held as was asked for', async () => {
    const { readerFrom, say } = makeRoom();
    say(...range(5_000));
    const reader = readerFrom();
    await reader.catchUp();
    const again = readerFrom(reader.state());
    expect(await again.loadOlder(10)).toBe(true);
    expect(again.timeline().all().length).toBeLessThanOrEqual(200);
    await again.loadOlder(10_000);
    expect(again.timeline().all()).toHaveLength(5_000);
  });
});
