import { describe, expect, it } from 'vitest';
import { type ConsumerHealth, type ConsumerLook, judgeConsumer } from './consumer-health.ts';

const startMs = 1_000_000;
const calm: ConsumerLook = {
  ...{ pendingCount: 0, inFlightCount: 0, waitingCount: 1, oldestMs: null, ackWaitMs: 30_000 },
  ...{ deliveredCount: 0, lastActiveMs: null, lastEndedMs: null, isPaused: false, atMs: startMs },
};
const at = (seconds: number): number => startMs + seconds * 1_000;

/** Looks one after the other, each as the one before but for what it names; what each came to. */
function judge(...looks: readonly (Partial<ConsumerLook> & { readonly second?: number })[]): ConsumerHealth[] {
  let look = calm;
  let health: ConsumerHealth | undefined;
  return looks.map(({ second, ...more }) => {
    look = { ...look, ...(second === undefined ? {} : { atMs: at(second) }), ...more };
    health = judgeConsumer(look, health);
    return health;
  });
}
const brief = (all: readonly ConsumerHealth[]) => all.map(({ state, sinceMs }) => [state, (sinceMs - startMs) / 1_000]);

describe('no consumer', () => {
  const unclaimed = { pendingCount: 2, waitingCount: 0, oldestMs: at(0) };

  it('W9 tasks that nobody asks for are an alarm after 10 s, and none when somebody does', () => {
    expect(
      brief(
        judge(
          { second: 0 },
          { second: 1, ...unclaimed },
          { second: 10.9 },
          { second: 11 },
          { second: 60 },
          { second: 61, waitingCount: 1 },
          { second: 62, waitingCount: 0 },
          { second: 63, pendingCount: 0 },
        ),
      ),
    ).toEqual([
      ...[
        ['idle', 0],
        ['ok', 1],
        ['waiting', 10.9],
        ['no-consumer', 1],
      ],
      ...[
        ['no-consumer', 1],
        ['ok', 61],
        ['ok', 61],
        ['idle', 63],
      ],
    ]);
  });

  it('W9 a queue that nobody ever claimed from, or not for long, is not said to be worked on', () => {
    const fresh = { ...unclaimed, oldestMs: at(0) };
    expect(brief(judge({ second: 0, ...fresh }, { second: 1 }, { second: 5 }, { second: 10 }))).toEqual([
      ...[
        ['waiting', 0],
        ['waiting', 0],
        ['waiting', 0],
      ],
      ['no-consumer', 0],
    ]);
    const long = { deliveredCount: 7, lastActiveMs: at(-60), lastEndedMs: at(-59), waitingCount: 0 };
    const looks = [
      { second: 0, ...long },
      { second: 1, ...fresh },
      { second: 2, inFlightCount: 1, deliveredCount: 8, lastActiveMs: at(2) },
    ];
    expect(judge(...looks).map(({ state }) => state)).toEqual(['idle', 'waiting', 'ok']);
  });

  it('W9 a worker that pulls, works and pulls again between two looks is no alarm, whatever the looks hit upon', () => {
    const looks = Array.from({ length: 30 }, (_, i) => ({
      second: i,
      ...unclaimed,
      deliveredCount: i,
      lastActiveMs: at(i),
    }));
    expect(judge(...looks).every(({ state }) => state === 'ok')).toBe(true);
  });

  it('W9 one look is enough where the oldest task and the last sign of life are old', () => {
    const look = { second: 100, ...unclaimed };
    expect(brief(judge({ ...look, oldestMs: at(40) }))).toEqual([['no-consumer', 40]]);
    expect(brief(judge({ ...look, oldestMs: at(91) }))).toEqual([['waiting', 100]]);
    expect(brief(judge({ ...look, oldestMs: at(0), lastActiveMs: at(20), lastEndedMs: at(30) }))).toEqual([
      ['no-consumer', 30],
    ]);
    expect(brief(judge({ ...look, oldestMs: at(0), lastEndedMs: at(95) }))).toEqual([['ok', 100]]);
    // The engine's clock is ahead.
    expect(brief(judge({ ...look, oldestMs: at(900) }, { second: 109 }, { second: 110 }))).toEqual([
      ['waiting', 100],
      ['waiting', 100],
      ['no-consumer', 100],
    ]);
  });

  it('W9 a paused queue is none; when it goes on its workers get their 10 s', () => {
    expect(
      brief(
        judge(
          { second: 0, ...unclaimed, isPaused: true },
          { second: 99 },
          { second: 100, isPaused: false },
          { second: 109 },
          { second: 110 },
        ),
      ),
    ).toEqual([
      ['paused', 0],
      ['paused', 0],
      ['waiting', 100],
      ['waiting', 100],
      ['no-consumer', 100],
    ]);
  });

  it('W3 a claim that is left alone, where nobody asks, waits for a worker too', () => {
    const left = { inFlightCount: 1, waitingCount: 0, oldestMs: at(0), deliveredCount: 1, lastActiveMs: at(0) };
    expect(
      brief(judge({ second: 0, ...left }, { second: 60 }, { second: 61 }, { second: 62, waitingCount: 1 })),
    ).toEqual([
      ...[
        ['ok', 0],
        ['ok', 0],
        ['no-consumer', 0],
        ['ok', 62],
      ],
    ]);
  });
});

describe('stuck', () => {
  const busy = {
    pendingCount: 5,
    inFlightCount: 2,
    waitingCount: 0,
    oldestMs: at(0),
    deliveredCount: 2,
    lastActiveMs: at(0),
  };

  it('W9 claims without a sign of life for more than two ack waits, while tasks wait', () => {
    expect(brief(judge({ second: 0, ...busy }, { second: 60 }, { second: 60.1 }, { second: 300 }))).toEqual([
      ...[
        ['ok', 0],
        ['ok', 0],
        ['stuck', 0],
        ['stuck', 0],
      ],
    ]);
    const slower = { ...busy, ackWaitMs: 60_000 };
    expect(brief(judge({ second: 0, ...slower }, { second: 120 }, { second: 121 }))).toEqual([
      ['ok', 0],
      ['ok', 0],
      ['stuck', 0],
    ]);
  });

  it.each(['lastActiveMs', 'lastEndedMs'] as const)('W9 a sign of life (%s) ends it, and its time counts', (field) => {
    expect(
      brief(
        judge(
          { second: 0, ...busy },
          { second: 61 },
          { second: 70, [field]: at(65) },
          { second: 125 },
          { second: 126 },
        ),
      ),
    ).toEqual([
      ['ok', 0],
      ['stuck', 0],
      ['ok', 70],
      ['ok', 70],
      ['stuck', 65],
    ]);
  });

  it('W9 a worker that says every 10 s that it is at it is not stuck, however long its task takes', () => {
    const looks = Array.from({ length: 60 }, (_, i) => ({ second: i * 10 + 5, ...busy, lastActiveMs: at(i * 10) }));
    expect(judge(...looks).every(({ state }) => state === 'ok')).toBe(true);
  });

  it('W9 one look is enough where the last sign of life is old, and none is known after a restart of the engine', () => {
    expect(brief(judge({ second: 100, ...busy, lastActiveMs: at(20) }))).toEqual([['stuck', 20]]);
    expect(brief(judge({ second: 100, ...busy, lastActiveMs: null }, { second: 160 }, { second: 161 }))).toEqual([
      ...[
        ['ok', 100],
        ['ok', 100],
        ['stuck', 100],
      ],
    ]);
  });

  it('W9 a clock of the engine that is behind or ahead counts within the time between two looks', () => {
    const behind = { deliveredCount: 3, lastActiveMs: at(-3_600) };
    const ahead = { deliveredCount: 3, lastActiveMs: at(3_600) };
    expect(brief(judge({ second: 0, ...busy }, { second: 50, ...behind }, { second: 60 }, { second: 61 }))).toEqual([
      ...[
        ['ok', 0],
        ['ok', 0],
        ['ok', 0],
        ['stuck', 0],
      ],
    ]);
    expect(brief(judge({ second: 0, ...busy }, { second: 50, ...ahead }, { second: 110 }, { second: 111 }))).toEqual([
      ...[
        ['ok', 0],
        ['ok', 0],
        ['ok', 0],
        ['stuck', 50],
      ],
    ]);
  });

  it('W9 a clock of our own that is set back makes no sign of life come from the future', () => {
    expect(
      brief(judge({ second: 1_000, ...busy, lastActiveMs: at(1_000) }, { second: 0 }, { second: 60 }, { second: 61 })),
    ).toEqual([
      ...[
        ['ok', 1_000],
        ['ok', 0],
        ['ok', 0],
        ['stuck', 0],
      ],
    ]);
  });
});

it('W9 the last claim is the newest delivery that the looks show, and no later word of the same worker', () => {
  const claims = judge(
    { second: 0 },
    { second: 1, inFlightCount: 1, deliveredCount: 1, lastActiveMs: at(0.5) },
    { second: 11, lastActiveMs: at(10.5) },
    { second: 12, deliveredCount: 2, lastActiveMs: at(11.5) },
    { second: 13, deliveredCount: 0, lastActiveMs: null },
  ).map(({ lastClaimMs }) => lastClaimMs);
  expect(claims).toEqual([null, at(0.5), at(0.5), at(11.5), at(11.5)]);
  expect(judge({ second: 9, deliveredCount: 7, lastActiveMs: at(3) })[0]?.lastClaimMs).toBe(at(3));
});
