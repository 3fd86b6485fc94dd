import { expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { unpackMarks } from '../../shared/protocol/trust-marks.ts';
import { createFeedHub } from './feed-hub.ts';
import { createFeedPump, type FeedSource } from './feed-pump.ts';
import { createMessageBuffer } from './message-buffer.ts';
import { createRowReader } from './row-reader.ts';
import { createSubjectReader } from './subject-reader.ts';

const trust = { link: undefined, seal: 'none', signature: 'none', refusal: undefined, isAccepted: false } as const;

/** A pump over messages that take so long each; `turn` runs what was deferred, or the timer that is due first. */
function pumpOf(count: number, costMs: number) {
  let nowMs = 1000;
  let due: { readonly atMs: number; readonly run: () => void } | undefined;
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    setTimer: (delayMs: number, run: () => void) => {
      due = { atMs: nowMs + delayMs, run };
      return toDisposable(() => {});
    },
    setTicker: () => toDisposable(() => {}),
    defer: (run: () => void) => {
      due = { atMs: nowMs, run };
    },
  };
  const buffer = createMessageBuffer({ capacityCount: 10_000, capacityBytes: 1e9 });
  for (let at = 0; at < count; at++)
    buffer.append({ subject: 'a', data: utf8('x') }, { atMs: at, trust: { ...trust } });
  const source: FeedSource = {
    accepts: () => true,
    createFrame() {
      const seqs: number[] = [];
      return {
        get isEmpty() {
          return seqs.length === 0;
        },
        add({ seq }) {
          if (seqs.length >= 256) return false;
          nowMs += costMs;
          seqs.push(seq);
          return true;
        },
        build: () => JSON.stringify(seqs),
      };
    },
  };
  const frames: number[][] = [];
  const pump = createFeedPump({ buffer, source, clock, fromSeq: 0, send: (frame) => frames.push(JSON.parse(frame)) });
  return {
    pump,
    frames,
    turn() {
      if (due === undefined) return 0;
      nowMs = Math.max(nowMs, due.atMs);
      const { run } = due;
      const beganMs = nowMs;
      due = undefined;
      run();
      return nowMs - beganMs;
    },
  };
}

it('P14 a frame of messages that are dear to read ends with its turn, and all of them come, in order', () => {
  const { pump, frames, turn } = pumpOf(500, 0.1);
  const turns: number[] = [];
  for (let at = 0; at < 40; at++) {
    turns.push(turn());
    pump.credit(1);
  }
  // A turn of 6 ms, and the messages between two looks at the clock.
  expect(Math.max(...turns)).toBeLessThanOrEqual(6 + 16 * 0.1);
  expect(frames.flat()).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
});

it('P14 a turn that has time fills as many frames as there is credit for', () => {
  const { frames, turn } = pumpOf(500, 0.001);
  turn();
  expect(frames.map(({ length }) => length)).toEqual([256, 244]);
});

it('P14 where more rows wait than a window shows, a frame checks none of them: they run through unread', () => {
  const acme = createTrustedWorkspace();
  const { clock, buffer, reader, intake, peer } = acme;
  const subjects = createSubjectReader();
  const rows = createRowReader({ subjects, reader, intake, peerOf: () => null });
  const hub = createFeedHub({ buffer, clock, subjects, rows, intake });
  const open = (pattern: string): readonly RowsFrame[] => {
    const frames: RowsFrame[] = [];
    hub.open('streams.rows', { pattern, fromSeq: 0 }, (frame) => frames.push(JSON.parse(frame)));
    return frames;
  };
  const [loud, quiet] = [peer('w1'), peer('w2')];
  for (let at = 0; at < 100; at++) intake.take(loud.write({ state: 'progress' }));
  for (let at = 0; at < 9; at++) intake.take(quiet.write({ state: 'progress' }));
  const all = open('>');
  // What waits for others does not count: these rows stand.
  const few = open('vak.events.*.w2-1-e.>');
  const before = acme.checkedCount;
  clock.advance(20);
  const validIn = ([frame]: readonly RowsFrame[]) =>
    frame?.marks.filter((marks) => unpackMarks(marks).signature === 'valid').length;
  expect([validIn(all), validIn(few)]).toEqual([0, 8]);
  expect(acme.checkedCount - before).toBe(8);
});
