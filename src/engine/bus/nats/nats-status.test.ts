import { expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { defaultTiming } from './nats-options.ts';
import { createNatsStatus } from './nats-status.ts';
import { createNatsWatchdog } from './nats-watchdog.ts';

const logger = createSilentLogger();
const lost = new VakError('disconnected', 'gone', { retryable: true });

function watched() {
  const clock = createFakeClock(1_000);
  const status = createNatsStatus({ clock, logger, settleMs: 100 });
  const kinds: string[] = [];
  status.onStatus(({ kind }) => kinds.push(kind));
  return { clock, status, kinds };
}

it('B8 connecting becomes connected at once; the round trip moves silently', () => {
  const { status, kinds } = watched();
  expect(status.status()).toEqual({ kind: 'connecting', sinceMs: 1_000 });
  status.up('host:1');
  status.answered(7);
  expect(kinds).toEqual(['connected']);
  expect(status.status()).toEqual({ kind: 'connected', sinceMs: 1_000, server: 'host:1', rttMs: 7 });
});

it('B8 one outage is one change each way, however often the connection comes and goes meanwhile', () => {
  const { clock, status, kinds } = watched();
  status.up('host:1');
  clock.advance(500);
  status.lost(lost);
  expect(status.status()).toEqual({ kind: 'reconnecting', sinceMs: 1_500, attempt: 0, error: lost.toShape() });
  for (let round = 1; round <= 5; round++) {
    status.attempt(round);
    status.up('host:2');
    clock.advance(99);
    status.lost(null);
  }
  status.attempt(6);
  status.failed(new VakError('timeout', 'late'));
  expect(status.status()).toMatchObject({ sinceMs: 1_500, attempt: 6, error: { code: 'timeout' } });
  status.up('host:2');
  clock.advance(100);
  expect(kinds).toEqual(['connected', 'reconnecting', 'connected']);
  expect(status.status()).toMatchObject({ kind: 'connected', server: 'host:2', rttMs: null });
  expect(clock.timerCount).toBe(0);
});

it('B8 a late answer is stale, and over when answers have come in time for a while', () => {
  const { clock, status, kinds } = watched();
  status.up('host:1');
  status.late();
  status.answered(300);
  clock.advance(50);
  status.late();
  clock.advance(100);
  expect(kinds).toEqual(['connected', 'stale']);
  status.answered(5);
  clock.advance(50);
  status.answered(6);
  clock.advance(50);
  expect(kinds).toEqual(['connected', 'stale', 'connected']);
  expect(status.status()).toMatchObject({ server: 'host:1', rttMs: 6 });
});

it('B8 closed is final, is told once, and a listener that throws harms no other', () => {
  const { clock, status, kinds } = watched();
  const later: string[] = [];
  status.onStatus(() => {
    throw new Error('listener');
  });
  const ended = status.onStatus(() => later.push('ended'));
  status.onStatus(({ kind }) => later.push(kind));
  ended.dispose();
  status.up('host:1');
  status.lost(null);
  status.up('host:1');
  status.closed(lost);
  status.closed(null);
  status.up('host:1');
  status.lost(null);
  status.late();
  clock.advance(1_000);
  expect(kinds).toEqual(['connected', 'reconnecting', 'closed']);
  expect(later).toEqual(kinds);
  expect(status.status()).toEqual({ kind: 'closed', sinceMs: 1_000, error: lost.toShape() });
  expect(clock.timerCount).toBe(0);
});

function watchdog() {
  const clock = createFakeClock();
  const events: string[] = [];
  const answers: (() => void)[] = [];
  let bytes = 0;
  const dog = createNatsWatchdog({
    ...{ clock, intervalMs: 100, lostAfterPings: 3 },
    ping: () => new Promise((resolve) => answers.push(resolve)),
    bytesIn: () => bytes,
    onAnswer: (rttMs) => events.push(`answer ${rttMs}`),
    onLate: () => events.push('late'),
    onLost: () => events.push('lost'),
  });
  const settle = async (): Promise<void> => {
    await Promise.resolve();
    await Promise.resolve();
  };
  return { clock, events, answers, dog, settle, arrive: () => bytes++ };
}

it('B8 the watchdog: a ping at once, then one an interval; one missed is late, three are lost, and it ends', async () => {
  const { clock, events, answers, settle } = watchdog();
  expect(answers).toHaveLength(1);
  clock.advance(30);
  answers[0]?.();
  await settle();
  clock.advance(70);
  expect([events, answers.length]).toEqual([['answer 30'], 2]);
  clock.advance(299);
  expect(events).toEqual(['answer 30', 'late', 'late']);
  clock.advance(1);
  expect(events.at(-1)).toBe('lost');
  expect([answers.length, clock.timerCount]).toEqual([2, 0]);
});

it('B8 unless told otherwise a hung server is noticed within five seconds', () => {
  const { pingIntervalMs, lostAfterPings } = defaultTiming;
  expect(pingIntervalMs * (lostAfterPings + 1)).toBeLessThanOrEqual(5_000);
});

it('B8 the watchdog counts other arrivals as life, and an answer ends the count', async () => {
  const { clock, events, answers, dog, settle, arrive } = watchdog();
  for (let i = 0; i < 10; i++) {
    arrive();
    clock.advance(100);
  }
  expect(events).toEqual([]);
  clock.advance(200);
  answers[0]?.();
  await settle();
  clock.advance(300);
  expect(events).toEqual(['late', 'late', 'answer 1200', 'late', 'late']);
  dog.dispose();
  answers[1]?.();
  await settle();
  clock.advance(1_000);
  expect(events.at(-1)).toBe('late');
  expect(clock.timerCount).toBe(0);
});
