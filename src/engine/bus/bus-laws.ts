/**
 * The laws that every engine keeps (protocol.md §5), as a suite that each implementation runs.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { ErrorCode } from '../../shared/base/vak-error.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { type Bus, maxMessageBytes } from './bus.ts';

/** Runs one law; the test runner's own `it`. */
export type DefineLaw = (name: string, run: () => Promise<void>) => void;

/** A bus under test and its end. */
export interface BusUnderTest {
  readonly bus: Bus;
  /** Resolves when all that was published so far has reached every buffer or inline handler. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const subject = 'vak.events.ws.s1.tokens';
const control = 'vak.control.ws.service.ask';

function hasCode(code: ErrorCode): (thrown: unknown) => boolean {
  return (thrown) => isVakError(thrown, code);
}

/** Defines the laws of the ephemeral plane. */
export function defineBusLaws(law: DefineLaw, open: () => Promise<BusUnderTest>): void {
  const withBus = (name: string, run: (test: BusUnderTest) => Promise<void>): void =>
    law(name, async () => {
      const test = await open();
      try {
        await run(test);
      } finally {
        await test.close();
      }
    });

  withBus(
    'B1 fan-out: every matching subscriber sees one publisher’s messages, all of them, in order',
    async ({ bus, settle }) => {
      const patterns = [
        '>',
        'vak.events.ws.>',
        'vak.events.*.s1.tokens',
        subject,
        'vak.events.ws.s2.tokens',
        'vak.events.ws.s1',
      ];
      const seen = patterns.map(() => [] as string[]);
      patterns.forEach((pattern, index) => {
        bus.subscribe(pattern, { kind: 'inline', onMessage: ({ data }) => seen[index]?.push(toText(data)) });
      });
      const sent = Array.from({ length: 500 }, (_, index) => String(index));
      for (const text of sent) bus.publish(subject, utf8(text));
      await settle();
      for (const matching of seen.slice(0, 4)) assert.deepEqual(matching, sent);
      for (const other of seen.slice(4)) assert.deepEqual(other, []);
    },
  );

  withBus(
    'B1 a publish made by a subscriber comes after the message that it saw, for everybody',
    async ({ bus, settle }) => {
      const seen: string[] = [];
      bus.subscribe(subject, {
        kind: 'inline',
        onMessage: ({ data }) => {
          if (toText(data) === 'question') bus.publish(subject, utf8('answer'));
        },
      });
      bus.subscribe(subject, { kind: 'inline', onMessage: ({ data }) => seen.push(toText(data)) });
      bus.publish(subject, utf8('question'));
      await settle();
      await settle();
      assert.deepEqual(seen, ['question', 'answer']);
    },
  );

  withBus('B2 drop-oldest keeps the newest, counts the rest, and the two add up', async ({ bus, settle }) => {
    const kept: string[] = [];
    let reported = 0;
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const subscription = bus.subscribe(subject, {
      kind: 'drop-oldest',
      capacity: 10,
      async onBatch(messages, dropped) {
        kept.push(...messages.map(({ data }) => toText(data)));
        reported += dropped;
        await gate;
      },
    });
    for (let index = 0; index < 100; index++) {
      bus.publish(subject, utf8(String(index)));
      if (index === 0) await settle();
    }
    await settle();
    release();
    await settle();
    const { deliveredCount, droppedCount, bufferedCount } = subscription.stats();
    assert.equal(bufferedCount, 0);
    assert.equal(deliveredCount, kept.length);
    assert.equal(deliveredCount + droppedCount, 100);
    assert.equal(reported, droppedCount);
    assert.deepEqual(
      kept.slice(-10),
      Array.from({ length: 10 }, (_, index) => String(90 + index)),
    );
    assert.ok(droppedCount > 0);
    assert.equal(bus.metrics().droppedCount, droppedCount);
  });

  withBus('B2 latest keeps one message a subject, and counts what it replaced', async ({ bus, settle }) => {
    const kept = new Map<string, string>();
    const subscription = bus.subscribe('vak.events.ws.*.telemetry', {
      kind: 'latest',
      capacity: 3,
      onBatch(messages) {
        for (const { subject: from, data } of messages) kept.set(from, toText(data));
      },
    });
    for (let round = 0; round < 20; round++) {
      for (const session of ['a', 'b', 'c'])
        bus.publish(`vak.events.ws.${session}.telemetry`, utf8(`${session}${round}`));
    }
    await settle();
    assert.deepEqual([...kept.values()], ['a19', 'b19', 'c19']);
    const { deliveredCount, droppedCount } = subscription.stats();
    assert.equal(deliveredCount + droppedCount, 60);
  });

  withBus('B2 a slow subscriber slows nobody, and one that throws harms nobody', async ({ bus, settle }) => {
    let seen = 0;
    bus.subscribe(subject, { kind: 'drop-oldest', capacity: 1, onBatch: () => new Promise(() => {}) });
    const thrower = bus.subscribe(subject, {
      kind: 'inline',
      onMessage: () => {
        throw new Error('subscriber');
      },
    });
    bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
    for (let index = 0; index < 50; index++) bus.publish(subject, utf8('x'));
    await settle();
    assert.equal(seen, 50);
    assert.equal(thrower.stats().failedCount, 50);
  });

  withBus('B2 a disposed subscription gets nothing more', async ({ bus, settle }) => {
    let seen = 0;
    const subscription = bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
    bus.publish(subject, utf8('1'));
    await settle();
    subscription.dispose();
    subscription.dispose();
    bus.publish(subject, utf8('2'));
    await settle();
    assert.equal(seen, 1);
  });

  withBus(
    'S4 a subject that fits no row is refused on publish; a pattern that is none, on subscribe',
    async ({ bus }) => {
      const inline = { kind: 'inline', onMessage: () => {} } as const;
      assert.throws(() => bus.publish('vak.events.ws.s1', utf8('x')), hasCode('invalid-subject'));
      assert.throws(() => bus.publish('vak.events.ws.*.tokens', utf8('x')), hasCode('invalid-subject'));
      assert.throws(() => bus.subscribe('vak..ws', inline), hasCode('invalid-pattern'));
      assert.throws(() => bus.subscribe('>.vak', inline), hasCode('invalid-pattern'));
      await assert.rejects(bus.request('nowhere', utf8('x'), { timeoutMs: 50 }), hasCode('invalid-subject'));
    },
  );

  withBus('E2 a message of 1 MiB passes whole, one byte more is refused', async ({ bus, settle }) => {
    let seen: Uint8Array | undefined;
    bus.subscribe(subject, {
      kind: 'inline',
      onMessage: ({ data }) => {
        seen = data;
      },
    });
    const whole = new Uint8Array(maxMessageBytes).fill(7);
    bus.publish(subject, whole);
    await settle();
    assert.deepEqual(seen, whole);
    assert.throws(() => bus.publish(subject, new Uint8Array(maxMessageBytes + 1)), hasCode('limit-exceeded'));
  });

  withBus('B5 a request gets the first answer', async ({ bus, settle }) => {
    bus.subscribe(control, {
      kind: 'inline',
      onMessage: ({ data, respond }) => {
        respond?.(utf8(`first ${toText(data)}`));
        respond?.(utf8('second'));
      },
    });
    await settle();
    assert.equal(toText(await bus.request(control, utf8('hello'), { timeoutMs: 5_000 })), 'first hello');
  });

  withBus('B5 a request that nobody listens to fails at once with no-responders', async ({ bus }) => {
    await assert.rejects(bus.request(control, utf8('x'), { timeoutMs: 60_000 }), hasCode('no-responders'));
  });

  withBus('B5 a request that is cancelled is aborted', async ({ bus, settle }) => {
    bus.subscribe(control, { kind: 'inline', onMessage: () => {} });
    await settle();
    const abort = new AbortController();
    const answer = bus.request(control, utf8('x'), { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    await assert.rejects(answer, hasCode('aborted'));
    await assert.rejects(
      bus.request(control, utf8('x'), { timeoutMs: 60_000, signal: abort.signal }),
      hasCode('aborted'),
    );
  });

  withBus('W10 the counters add up exactly', async ({ bus, settle }) => {
    let received = 0;
    const count = (messages: number): void => {
      received += messages;
    };
    bus.subscribe('vak.events.ws.>', { kind: 'inline', onMessage: () => count(1) });
    bus.subscribe(subject, { kind: 'drop-oldest', capacity: 1000, onBatch: (batch) => count(batch.length) });
    for (let index = 0; index < 100; index++) bus.publish(subject, new Uint8Array(index));
    bus.publish('vak.events.ws.s2.tokens', new Uint8Array(50));
    await settle();
    const metrics = bus.metrics();
    assert.equal(metrics.publishedCount, 101);
    assert.equal(metrics.publishedBytes, 4950 + 50);
    assert.equal(metrics.receivedCount, 201);
    assert.equal(metrics.receivedBytes, 2 * 4950 + 50);
    assert.equal(received, 201);
    assert.equal(metrics.droppedCount, 0);
    // What is inline waits for nothing.
    assert.equal(metrics.waits.count, 100);
    assert.equal(
      metrics.waits.buckets.reduce((sum, { count }) => sum + count, 0),
      100,
    );
    assert.equal(metrics.subscriptionCount, 2);
  });

  withBus(
    'W10 a request counts as published, whether somebody listens or not, and as received by who does',
    async (test) => {
      const { bus, settle } = test;
      await assert.rejects(bus.request(control, utf8('1234'), { timeoutMs: 60_000 }), hasCode('no-responders'));
      bus.subscribe(control, { kind: 'inline', onMessage: ({ respond }) => respond?.(utf8('an answer')) });
      await settle();
      await bus.request(control, utf8('123'), { timeoutMs: 5_000 });
      const { publishedCount, publishedBytes, receivedCount, receivedBytes } = bus.metrics();
      assert.deepEqual([publishedCount, publishedBytes, receivedCount, receivedBytes], [2, 7, 1, 3]);
    },
  );

  withBus('W10 drops are told of each subscription, and stay counted when it has ended', async ({ bus, settle }) => {
    const opened = ['vak.events.ws.*.telemetry', 'vak.events.ws.s1.*'].map((pattern) =>
      bus.subscribe(pattern, { kind: 'latest', capacity: 1, onBatch() {} }),
    );
    await settle();
    for (let index = 0; index < 10; index++) bus.publish('vak.events.ws.s1.telemetry', utf8('x'));
    for (let index = 0; index < 5; index++) bus.publish('vak.events.ws.s1.status', utf8('x'));
    await settle();
    const before = bus.metrics();
    const own = before.subscriptions.map(({ pattern, deliveredCount, droppedCount }) => [
      pattern,
      deliveredCount + droppedCount,
    ]);
    assert.deepEqual(own, [
      ['vak.events.ws.*.telemetry', 10],
      ['vak.events.ws.s1.*', 15],
    ]);
    const dropped = before.subscriptions.reduce((sum, { droppedCount }) => sum + droppedCount, 0);
    assert.ok(dropped > 0);
    assert.equal(before.droppedCount, dropped);
    assert.equal(before.waits.count, 25 - dropped);
    for (const one of opened) one.dispose();
    const after = bus.metrics();
    assert.equal(after.droppedCount, dropped);
    assert.deepEqual([after.subscriptionCount, after.subscriptions], [0, []]);
  });

  withBus('B2 closing delivers what waits, then refuses', async ({ bus }) => {
    let seen = 0;
    bus.subscribe(subject, {
      kind: 'drop-oldest',
      capacity: 100,
      onBatch(batch) {
        seen += batch.length;
      },
    });
    bus.subscribe(control, { kind: 'inline', onMessage: () => {} });
    for (let index = 0; index < 20; index++) bus.publish(subject, utf8('x'));
    await bus.whenWritable();
    await bus.close();
    assert.ok(
      seen === 20 || seen === 0,
      'a local bus delivers all; a remote one has not sent what was only just published',
    );
    assert.throws(() => bus.publish(subject, utf8('x')), hasCode('closed'));
    await assert.rejects(bus.whenWritable(), hasCode('closed'));
    await assert.rejects(bus.request(control, utf8('x'), { timeoutMs: 50 }), hasCode('closed'));
  });
}
