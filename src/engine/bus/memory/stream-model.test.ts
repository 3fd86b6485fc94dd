import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consumerSpec, openEmbeddedStreams, streamSpec } from '../../../../tests/support/embedded-streams.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { matches } from '../../../shared/protocol/subject.ts';
import type { Delivery } from '../durable.ts';

// A second, slow implementation of B3 and B4 says after each step of a random program what must be seen.

const subjects = ['vak.work.ws.a.task', 'vak.work.ws.b.task'] as const;
const limits = { ackWaitMs: 1_000, maxDeliver: 3, maxInFlight: 4 };
const maxAgeMs = 20_000;
const windowMs = 3_000;
const advisories = 'ADV';

type Op =
  | {
      readonly kind: 'append';
      readonly subject: 0 | 1;
      readonly id: number | null;
      readonly isExpected: boolean | null;
    }
  | { readonly kind: 'pull'; readonly consumer: 0 | 1; readonly batch: number }
  | { readonly kind: 'end'; readonly how: 'ack' | 'nak' | 'term' | 'working'; readonly at: number; readonly ms: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'purge'; readonly subject: 0 | 1 }
  | { readonly kind: 'restart' | 'crash' | 'kill' };

interface ModelEntry {
  count: number;
  kind: 'out' | 'again' | 'exhausted';
  dueMs: number;
}

interface ModelConsumer {
  readonly name: string;
  readonly filter: string;
  cursor: number;
  readonly entries: Map<number, ModelEntry>;
}

interface ModelMessage {
  readonly subject: string;
  readonly text: string;
  readonly storedMs: number;
}

/** What must be there; all of it in the plainest way. */
function createModel(retention: StreamSpec['retention']) {
  const messages = new Map<number, ModelMessage>();
  const ids = new Map<number, { seq: number; storedMs: number }>();
  const filters = retention === 'work-queue' ? [subjects[0], subjects[1]] : ['vak.work.ws.*.task', subjects[1]];
  const consumers = filters.map(
    (filter, at): ModelConsumer => ({ name: `c${at}`, filter, cursor: 1, entries: new Map() }),
  );
  let lastSeq = 0;
  let exhausted = 0;
  const needs = ({ filter, cursor, entries }: ModelConsumer, seq: number, subject: string): boolean =>
    matches(filter, subject) && (seq >= cursor || entries.has(seq));
  const inFlight = ({ entries }: ModelConsumer) => [...entries.values()].filter(({ kind }) => kind !== 'exhausted');

  function remove(seq: number): boolean {
    for (const { entries } of consumers) entries.delete(seq);
    return messages.delete(seq);
  }
  function giveUp(entry: ModelEntry): void {
    entry.kind = 'exhausted';
    exhausted++;
  }
  function tick(nowMs: number): void {
    for (const [seq, { storedMs }] of messages) if (storedMs + maxAgeMs <= nowMs) remove(seq);
    for (const { entries } of consumers) {
      for (const entry of entries.values()) {
        if (entry.kind !== 'out' || entry.dueMs > nowMs) continue;
        if (entry.count >= limits.maxDeliver) giveUp(entry);
        else entry.kind = 'again';
      }
    }
  }
  function done(consumer: ModelConsumer, seq: number): void {
    if (!consumer.entries.delete(seq) || retention === 'limits') return;
    const subject = messages.get(seq)?.subject ?? '';
    if (retention === 'work-queue' || !consumers.some((other) => needs(other, seq, subject))) remove(seq);
  }

  return {
    ...{ messages, consumers, tick, remove, done, inFlight },
    seen: () => ({ lastSeq, exhausted }),
    lastOf: (subject: string) => Math.max(0, ...[...messages].filter(([, m]) => m.subject === subject).map(([s]) => s)),
    known(id: number | null, nowMs: number): number | undefined {
      const entry = id === null ? undefined : ids.get(id);
      return entry !== undefined && entry.storedMs + windowMs > nowMs ? entry.seq : undefined;
    },
    append(seq: number, message: ModelMessage, id: number | null): void {
      lastSeq = seq;
      messages.set(seq, message);
      if (id !== null) ids.set(id, { seq, storedMs: message.storedMs });
    },
    pull(consumer: ModelConsumer, batch: number, nowMs: number): string[] {
      const taken: string[] = [];
      const again = [...consumer.entries].filter(([, { kind }]) => kind === 'again').sort(([x], [y]) => x - y);
      const take = (seq: number, entry: ModelEntry): void => {
        entry.count++;
        entry.kind = 'out';
        entry.dueMs = nowMs + limits.ackWaitMs;
        taken.push(`${seq}×${entry.count}`);
      };
      for (const [seq, entry] of again.slice(0, batch)) take(seq, entry);
      for (const [seq, { subject }] of [...messages].sort(([x], [y]) => x - y)) {
        if (taken.length >= batch || inFlight(consumer).length >= limits.maxInFlight) break;
        if (seq < consumer.cursor || !matches(consumer.filter, subject)) continue;
        const entry: ModelEntry = { count: 0, kind: 'again', dueMs: 0 };
        consumer.entries.set(seq, entry);
        consumer.cursor = seq + 1;
        take(seq, entry);
      }
      return taken;
    },
    nak(consumer: ModelConsumer, seq: number, count: number, dueMs: number): void {
      const entry = consumer.entries.get(seq);
      if (entry?.kind !== 'out' || entry.count !== count) return;
      if (count >= limits.maxDeliver) giveUp(entry);
      else entry.dueMs = dueMs;
    },
    working(consumer: ModelConsumer, seq: number, count: number, nowMs: number): void {
      const entry = consumer.entries.get(seq);
      if (entry?.kind === 'out' && entry.count === count) entry.dueMs = nowMs + limits.ackWaitMs;
    },
    reopen(nowMs: number): void {
      for (const { entries } of consumers) {
        for (const entry of entries.values()) if (entry.kind === 'out' || entry.kind === 'again') entry.dueMs = nowMs;
        for (const entry of entries.values()) if (entry.kind === 'again') entry.kind = 'out';
      }
    },
  };
}

const killed = new VakError('closed', 'killed');

/** Lets commits in memory resolve. */
async function turns(): Promise<void> {
  for (let i = 0; i < 12; i++) await Promise.resolve();
}

async function run(retention: StreamSpec['retention'], ops: readonly Op[]): Promise<void> {
  const streams = await openEmbeddedStreams();
  const { clock, journal } = streams;
  const model = createModel(retention);
  const stream = () => streams.plane.stream('S');
  const spec = streamSpec({ retention, maxAgeMs, dedupeWindowMs: windowMs });
  await streams.plane.ensureStream(spec);
  await streams.plane.ensureStream(
    streamSpec({ name: advisories, subjects: ['$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.S.>'] }),
  );
  for (const { name, filter } of model.consumers) {
    await stream().ensureConsumer(consumerSpec({ name, filter, ...limits }));
  }
  type Held = { delivery: Delivery; consumer: ModelConsumer; isEnded: boolean };
  let held: Held[] = [];
  const consumerAt = (at: number) => model.consumers[at] as ModelConsumer;

  async function append(op: Extract<Op, { kind: 'append' }>): Promise<void> {
    const subject = subjects[op.subject];
    const nowMs = clock.now();
    const last = model.lastOf(subject);
    const expected = op.isExpected === null ? undefined : op.isExpected ? last : last + 1;
    const options = {
      ...(op.id !== null && { messageId: `id-${op.id}` }),
      ...(expected !== undefined && { expectedLastSeq: expected }),
    };
    const text = `text ${model.seen().lastSeq}`;
    const appended = await streams.plane.append(subject, utf8(text), options).catch((error: unknown) => {
      if (!isVakError(error)) throw error;
      return error;
    });
    const known = model.known(op.id, nowMs);
    if (known !== undefined) {
      expect(appended).toEqual({ stream: 'S', seq: known, isDuplicate: true });
    } else if (expected !== undefined && expected !== last) {
      expect(appended).toMatchObject({ code: 'conflict', details: { expected, actual: last } });
    } else {
      if (isVakError(appended)) throw appended;
      expect(appended.isDuplicate).toBe(false);
      expect(appended.seq).toBeGreaterThan(model.seen().lastSeq);
      model.append(appended.seq, { subject, text, storedMs: nowMs }, op.id);
    }
  }

  async function pull(op: Extract<Op, { kind: 'pull' }>): Promise<void> {
    const consumer = consumerAt(op.consumer);
    const got = await stream().consumer(consumer.name).pull({ batch: op.batch, waitMs: 0 });
    expect(got.map(({ message, deliveryCount }) => `${message.seq}×${deliveryCount}`)).toEqual(
      model.pull(consumer, op.batch, clock.now()),
    );
    for (const { message } of got) expect(toText(message.data)).toBe(model.messages.get(message.seq)?.text);
    held.push(...got.map((delivery) => ({ delivery, consumer, isEnded: false })));
  }

  async function end({ how, at, ms }: Extract<Op, { kind: 'end' }>): Promise<void> {
    const one = held[at % Math.max(1, held.length)];
    if (one === undefined) return;
    const { delivery, consumer, isEnded } = one;
    const { seq } = delivery.message;
    await (how === 'nak' ? delivery.nak(ms) : delivery[how]());
    if (isEnded) return;
    one.isEnded = how !== 'working';
    if (how === 'nak') model.nak(consumer, seq, delivery.deliveryCount, clock.now() + ms);
    else if (how === 'working') model.working(consumer, seq, delivery.deliveryCount, clock.now());
    else model.done(consumer, seq);
  }

  /** What a dying process does last reaches nobody. */
  async function kill(): Promise<void> {
    await turns();
    journal.failure = killed;
    const last = [
      streams.plane.append(subjects[0], utf8('lost'), { messageId: 'lost' }),
      stream().purge(subjects[1]),
      ...held.filter(({ isEnded }) => !isEnded).map(({ delivery }) => delivery.ack()),
    ];
    await stream().consumer('c0').pull({ batch: 3, waitMs: 0 });
    const results = await Promise.allSettled(last);
    expect(results[0]?.status).toBe('rejected');
    await streams.plane.close();
    journal.failure = undefined;
  }

  async function step(op: Op): Promise<void> {
    if (op.kind === 'append') return append(op);
    if (op.kind === 'pull') return pull(op);
    if (op.kind === 'end') return end(op);
    if (op.kind === 'advance') return clock.advance(op.ms);
    if (op.kind === 'delete') {
      const seq = (op.at % (model.seen().lastSeq + 1)) + 1;
      expect(await stream().delete(seq)).toBe(model.remove(seq));
      return;
    }
    if (op.kind === 'purge') {
      const gone = [...model.messages].filter(([, { subject }]) => subject === subjects[op.subject]);
      expect(await stream().purge(subjects[op.subject])).toBe(gone.length);
      for (const [seq] of gone) model.remove(seq);
      return;
    }
    if (op.kind === 'kill') await kill();
    else await turns();
    await (op.kind === 'restart' ? streams.restart() : streams.crash());
    held = [];
    model.reopen(clock.now());
  }

  async function check(): Promise<void> {
    const { messages } = model;
    const page = await stream().read({ limit: 1_000 });
    expect(page.messages.map(({ seq, subject, data }) => [seq, subject, toText(data)])).toEqual(
      [...messages].map(([seq, { subject, text }]) => [seq, subject, text]),
    );
    const { lastSeq, exhausted } = model.seen();
    const state = await stream().state();
    expect(state).toMatchObject({ messageCount: messages.size, consumerCount: 2 });
    expect(state.firstSeq).toBe(messages.size === 0 ? state.lastSeq + 1 : Math.min(...messages.keys()));
    expect(state.lastSeq).toBeGreaterThanOrEqual(lastSeq);
    for (const subject of subjects) expect((await stream().last(subject))?.seq ?? 0).toBe(model.lastOf(subject));
    for (const consumer of model.consumers) {
      const wanted = [...messages].filter(([seq, m]) => seq >= consumer.cursor && matches(consumer.filter, m.subject));
      const out = model.inFlight(consumer);
      expect(await stream().consumer(consumer.name).state()).toMatchObject({
        ...{ pendingCount: wanted.length, inFlightCount: out.length, waitingCount: 0 },
        redeliveredCount: out.filter(({ count }) => count > 1).length,
      });
    }
    expect((await streams.plane.stream(advisories).state()).messageCount).toBe(exhausted);
  }

  for (const op of ops) {
    model.tick(clock.now());
    await step(op);
    await turns();
    model.tick(clock.now());
    await check();
  }
  await streams.plane.close();
  expect(clock.timerCount).toBe(0);
}

const place = fc.nat({ max: 1_000 });
const which = fc.constantFrom<0 | 1>(0, 1);
const ops = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        subject: which,
        id: fc.option(fc.nat({ max: 3 })),
        isExpected: fc.option(fc.boolean(), { freq: 1 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('pull' as const),
        consumer: which,
        batch: fc.integer({ min: 1, max: 5 }),
      }),
    },
    {
      weight: 7,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        how: fc.constantFrom('ack' as const, 'ack', 'nak', 'term', 'working'),
        ...{ at: place, ms: fc.constantFrom(0, 1, 700, 2_500) },
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 500, 1_000, 6_000) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), subject: which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash', 'kill') }) },
  ),
  { minLength: 5, maxLength: 30 },
);

test.each(['limits', 'interest', 'work-queue'] as const)(
  'B4 nothing acknowledged is lost, nothing ended comes again, order and figures hold: %s',
  async (retention) => {
    await fc.assert(
      fc.asyncProperty(ops, (program) => run(retention, program)),
      { numRuns: 350, seed: 5 },
    );
  },
  60_000,
);
