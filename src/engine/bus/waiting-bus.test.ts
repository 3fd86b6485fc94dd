import { expect, test } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createWaitingBus } from './waiting-bus.ts';

const subject = 'vak.events.test.s1.status';

function setUp() {
  const clock = createFakeClock();
  const bus = createWaitingBus(clock);
  const taken: string[] = [];
  const next = { publish: (_: string, data: Uint8Array) => void taken.push(Buffer.from(data).toString()) };
  const say = (text: string): void => bus.publish(subject, utf8(text));
  return { clock, bus, taken, next, say, dropped: () => bus.metrics().droppedCount };
}

test('B8 what waits is handed over once, in order; what is older than 10 s is not said any more, and counted', () => {
  const { clock, bus, taken, next, say, dropped } = setUp();
  say('old');
  clock.advance(6_000);
  say('a');
  clock.advance(5_000);
  say('b');
  bus.take()(next);
  bus.take()(next);
  expect([taken, dropped()]).toEqual([['a', 'b'], 1]);
});

test('B2 at most 1,024 messages and 2 MiB wait: the oldest give way, and are counted', () => {
  const many = setUp();
  for (let at = 0; at < 1_030; at++) many.say(String(at));
  many.bus.take()(many.next);
  expect([many.taken[0], many.taken.length, many.dropped()]).toEqual(['6', 1_024, 6]);
  const large = setUp();
  for (const name of ['a', 'b', 'c']) large.say(name.repeat(1024 * 1024));
  large.bus.take()(large.next);
  expect([large.taken.map(([first]) => first), large.dropped()]).toEqual([['b', 'c'], 1]);
});

test('B8 what the engine does not take is counted, and holds up nothing; nobody hears or answers meanwhile', async () => {
  const { bus, taken, say, dropped } = setUp();
  expect(() => bus.publish('elsewhere', utf8('x'))).toThrow(/subject/);
  bus.subscribe('vak.>', { kind: 'inline', onMessage: () => taken.push('heard') });
  say('a');
  say('b');
  let calls = 0;
  bus.take()({
    publish() {
      if (calls++ === 0) throw new VakError('limit-exceeded', 'too large');
      taken.push('taken');
    },
  });
  expect([taken, dropped()]).toEqual([['taken'], 1]);
  await expect(bus.request(subject, utf8(''), { timeoutMs: 1 })).rejects.toMatchObject({ code: 'disconnected' });
  say('c');
  await bus.close();
  expect(dropped()).toBe(2);
});
