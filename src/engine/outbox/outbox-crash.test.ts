import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import {
  advance,
  createLife,
  createPlayedPlane,
  createPlayedStatus,
  durableAuthorWith,
  failing,
  type Life,
  minute,
  mortalJournal,
  mortalPlane,
  type OutboxParts,
  openTestOutbox,
  receiptSubject,
  settle,
  taskSubject,
} from '../../../tests/support/outbox-fixture.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { type Envelope, genesisHash } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { leafOf } from '../envelope/hashing.ts';
import { readVoidRecord } from '../envelope/void-record.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { DurableAuthor } from './durable-author.ts';
import type { Outbox } from './outbox.ts';
import { createVoidRecords } from './void-records.ts';

/** Queues that take nothing. */
const refusing = { q: 'vak.work.acme.full.task', d: 'vak.dlq.acme.ada.failed' } as const;
const taking = { q: taskSubject, d: receiptSubject } as const;

interface World extends OutboxParts {
  /** Envelopes whose publish was acknowledged, in order. */
  readonly acknowledged: Envelope[];
}

interface Process {
  readonly outbox: Outbox;
  readonly authors: Readonly<Record<'q' | 'd', DurableAuthor>>;
  end(): Promise<void>;
}

function createWorld(): World {
  const clock = createFakeClock();
  const played = createPlayedPlane(clock);
  const world = { journal: createMemoryJournal(), played, status: createPlayedStatus(), clock, acknowledged: [] };
  played.play = refuse;
  return world;
}

const isRefusing = (subject: string | undefined): boolean => subject === refusing.q || subject === refusing.d;
const refuse = (subject: string) => (isRefusing(subject) ? failing('limit-exceeded')() : undefined);

async function begin(world: World, start: number, life?: Life): Promise<Process> {
  const { clock } = world;
  const journal = life === undefined ? world.journal : mortalJournal(world.journal, life);
  const plane: DurablePlane = life === undefined ? world.played.plane : mortalPlane(world.played.plane, life);
  const outbox = await openTestOutbox({ ...world, journal, played: { ...world.played, plane } });
  const randomness = createSeededRandomness(start);
  const shared = { outbox, clock, randomness, start, durable: () => plane };
  const authors = {
    q: durableAuthorWith({ ...shared, kind: 'q' }),
    d: durableAuthorWith({ ...shared, kind: 'd' }),
  } as const;
  const names = { workspace: 'acme', peer: 'ada', logger: createSilentLogger() };
  const voids = createVoidRecords({ ...names, author: authors.d, outbox, clock, randomness });
  return {
    ...{ outbox, authors },
    async end() {
      voids.dispose();
      await outbox.close();
    },
  };
}

async function publish(world: World, { authors }: Process, kind: 'q' | 'd', isRefused = false): Promise<void> {
  const subject = (isRefused ? refusing : taking)[kind];
  try {
    world.acknowledged.push((await authors[kind].publish(draftOf('{}', subject))).envelope);
  } catch (error) {
    if (!isVakError(error, 'closed')) throw error;
  }
}

const placeOf = (envelope: Envelope): string => `${envelope.source}#${envelope.seqnum}`;
const nameOf = ({ source, seq, leaf }: ChainHead): string => `${source}#${seq}:${leaf}`;

/** Each chain is whole and in order: what is not there is declared void, and each is there or declared once. */
function checkStreams({ played, acknowledged }: World): void {
  const stored = played.all().map(({ data }) => decodeEnvelope(data));
  const declared = stored.flatMap((envelope) => readVoidRecord(envelope) ?? []).map(nameOf);
  const ids = played.all().map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(declared).size).toBe(declared.length);
  const leaves = new Map(stored.map((envelope) => [placeOf(envelope), leafOf(envelope)]));
  for (const name of declared) {
    const [place = '', leaf = ''] = name.split(':').length > 2 ? [name.slice(0, -65), name.slice(-64)] : [];
    expect(leaves.has(place)).toBe(false);
    leaves.set(place, leaf);
  }
  for (const source of new Set(stored.map((envelope) => envelope.source))) {
    const own = stored.filter((envelope) => envelope.source === source);
    const seqs = own.map(({ seqnum }) => seqnum);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    for (let seq = 0; seq < (seqs.at(-1) ?? 0); seq++) expect(leaves.has(`${source}#${seq}`)).toBe(true);
    for (const { seqnum, prevhash } of own) {
      expect(prevhash).toBe(seqnum === 0 ? genesisHash : leaves.get(`${source}#${seqnum - 1}`));
    }
  }
  for (const envelope of acknowledged) {
    expect(leaves.get(placeOf(envelope))).toBe(leafOf(envelope));
    const isDeclared = declared.includes(`${placeOf(envelope)}:${leafOf(envelope)}`);
    expect(isDeclared).toBe(isRefusing(envelope.subject));
  }
}

/** Runs a process that may die, then one that does not; gives whether the first one died. */
async function liveTwice(life: Life, pauseMs: number): Promise<boolean> {
  const world = createWorld();
  const first = await begin(world, 1, life);
  for (const [kind, isRefused] of [
    ['q', false],
    ['d', false],
    ['q', true],
    ['d', true],
    ['q', false],
    ['d', false],
  ] as const) {
    void publish(world, first, kind, isRefused);
  }
  await settle(world.clock);
  await advance(world.clock, 1000);
  const kept = { q: first.outbox.heads.previous('ada', 'q'), d: first.outbox.heads.previous('ada', 'd') };
  world.clock.advance(pauseMs);
  const second = await begin(world, 2);
  for (const kind of ['q', 'd'] as const) {
    // What was on disk and not acknowledged yet may be newer than what the dead process knew.
    const previous = second.outbox.heads.previous('ada', kind);
    const acknowledged = world.acknowledged.findLast(({ source }) => source === `vak://acme/ada/ada-1-${kind}`);
    expect(previous?.seq ?? -1).toBeGreaterThanOrEqual(acknowledged?.seqnum ?? -1);
    expect(previous?.seq ?? -1).toBeGreaterThanOrEqual(kept[kind]?.seq ?? -1);
  }
  await settle(world.clock);
  const before = { q: second.outbox.heads.previous('ada', 'q'), d: second.outbox.heads.previous('ada', 'd') };
  for (const kind of ['q', 'd'] as const) {
    const isFirst = second.authors[kind].head() === undefined;
    await publish(world, second, kind);
    const expected = before[kind] === undefined || !isFirst ? undefined : nameOf(before[kind]);
    expect(world.acknowledged.at(-1)?.resumes).toBe(expected);
  }
  const drained = second.outbox.drain(2 * minute);
  await advance(world.clock, 2 * minute, 10_000);
  expect(await drained).toBe(true);
  checkStreams(world);
  await second.end();
  return life.isDead;
}

describe('B8 a process that dies at any step', () => {
  test.each([
    ['before the step takes effect', false, 0],
    ['after it', true, 0],
    ['before it, and comes back after the dedupe window', false, 15 * minute],
    ['after it, and comes back after the dedupe window', true, 15 * minute],
  ])('B8 loses nothing and doubles nothing: %s', async (_, isDoneAtDeath, pauseMs) => {
    let deaths = 0;
    for (let steps = 1; await liveTwice(createLife(steps, isDoneAtDeath), pauseMs); steps++) deaths++;
    expect(deaths).toBeGreaterThan(30);
  });
});

/** What may happen to an outbox. `lose`: the next appends are stored and their answers lost; `drop`: they do not arrive. */
type Event =
  | { readonly kind: 'publish'; readonly of: 'q' | 'd'; readonly isRefused: boolean }
  | { readonly kind: 'lose' | 'drop'; readonly count: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'down' | 'up' | 'restart' };

const events: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      of: fc.constantFrom('q' as const, 'd' as const),
      isRefused: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('lose' as const, 'drop' as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(100, 5000, 11 * minute) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('down' as const, 'up' as const, 'restart' as const) }) },
);

async function play(history: readonly Event[]): Promise<void> {
  const world = createWorld();
  const { clock, played, status } = world;
  let [start, lose, drop] = [1, 0, 0];
  played.play = (subject) => {
    if (drop > 0) return drop-- > 0 ? failing('disconnected')() : undefined;
    const answer = refuse(subject);
    if (answer === undefined && lose > 0) return lose-- > 0 ? failing('timeout', true)() : undefined;
    return answer;
  };
  let running = await begin(world, start);
  const publishing: Promise<void>[] = [];
  for (const event of history) {
    if (event.kind === 'publish') publishing.push(publish(world, running, event.of, event.isRefused));
    else if (event.kind === 'lose') lose = event.count;
    else if (event.kind === 'drop') drop = event.count;
    else if (event.kind === 'wait') await advance(clock, event.ms, event.ms / 4);
    else if (event.kind === 'down') status.set('reconnecting');
    else if (event.kind === 'up') status.set('connected');
    else {
      await running.end();
      running = await begin(world, ++start);
    }
  }
  await Promise.all(publishing);
  [lose, drop] = [0, 0];
  status.set('connected');
  const drained = running.outbox.drain(10 * minute);
  await advance(clock, 10 * minute, 10_000);
  expect(await drained).toBe(true);
  checkStreams(world);
  await running.end();
  expect(clock.timerCount).toBe(0);
}

test('B8 whatever happens, each source is stored in the order of its puts, each once, with voids for exactly what was refused', async () => {
  await fc.assert(fc.asyncProperty(fc.array(events, { maxLength: 30 }), play), { numRuns: 40, seed: 5 });
});
