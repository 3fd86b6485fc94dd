import { beforeEach, describe, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import { createHeldJournal, type HeldJournal } from '../../../tests/support/held-journal.ts';
import {
  advance,
  codeOf,
  createOutboxParts,
  durableAuthorWith,
  failing,
  minute,
  type OutboxParts,
  openTestOutbox,
  receiptSubject,
  settle,
  taskSubject,
} from '../../../tests/support/outbox-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { leafOf } from '../envelope/hashing.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type DurableAuthor, messageIdOf } from './durable-author.ts';
import type { Outbox } from './outbox.ts';

const log = 'vak.rooms.acme.r1.log';

let parts: OutboxParts & { readonly journal: HeldJournal };
let outbox: Outbox;
let author: DurableAuthor;
let engine: DurablePlane | undefined;
let advanced: [ChainHead, Envelope][];

const make = (kind: 'q' | 'd', more: { start?: number; isUnsigned?: boolean } = {}): DurableAuthor =>
  durableAuthorWith({
    ...{ outbox, clock: parts.clock, randomness: createSeededRandomness(9), kind, durable: () => engine, ...more },
    onAdvanced: (head, envelope) => advanced.push([head, envelope]),
  });

beforeEach(async () => {
  parts = createOutboxParts(createHeldJournal(createMemoryJournal()));
  outbox = await openTestOutbox(parts);
  engine = parts.played.plane;
  advanced = [];
  author = make('d');
});

const stored = (): Envelope[] => parts.played.all().map(({ data }) => decodeEnvelope(data));
const receipt = (n: number) => draftOf(`{"n":${n}}`, receiptSubject);
const headOf = (envelope: Envelope): ChainHead => ({
  ...{ source: envelope.source, seq: envelope.seqnum, leaf: leafOf(envelope) },
});

describe('E12 a durable author', () => {
  test('E12 the head advances when the outbox has it on disk, not before', async () => {
    const letGo = parts.journal.holdCommits();
    const publishing = author.publish(receipt(0));
    await settle(parts.clock);
    expect([author.head(), advanced, parts.played.appends]).toEqual([undefined, [], []]);
    letGo();
    const { envelope } = await publishing;
    expect(author.head()).toEqual(headOf(envelope));
    expect(advanced).toEqual([[headOf(envelope), envelope]]);
    expect(outbox.heads.previous('ada', 'd')).toEqual(headOf(envelope));
  });

  test('E12 publishes made meanwhile wait their turn, and each links to the one before', async () => {
    parts.status.set('reconnecting');
    const letGo = parts.journal.holdCommits();
    const publishing = Promise.all([0, 1, 2, 3].map((n) => author.publish(receipt(n))));
    await settle(parts.clock);
    letGo();
    const envelopes = (await publishing).map(({ envelope }) => envelope);
    expect(envelopes.map(({ seqnum }) => seqnum)).toEqual([0, 1, 2, 3]);
    for (const [n, { prevhash }] of envelopes.slice(1).entries())
      expect(prevhash).toBe(leafOf(envelopes[n] as Envelope));
    parts.status.set('connected');
    await settle(parts.clock);
    expect(stored()).toEqual(envelopes);
  });

  test('E12 if the outbox does not take it the head stays, and the next one has the same place', async () => {
    const first = await author.publish(receipt(0));
    await settle(parts.clock);
    parts.journal.failCommits(new VakError('disk-full', 'no room'));
    const [one, other] = [codeOf(author.publish(receipt(1))), codeOf(author.publish(receipt(2)))];
    expect([await one, await other]).toEqual(['disk-full', 'disk-full']);
    expect(author.head()).toEqual(headOf(first.envelope));
    parts.journal.failCommits(undefined);
    const { envelope } = await author.publish(receipt(3));
    expect([envelope.seqnum, envelope.prevhash]).toEqual([1, leafOf(first.envelope)]);
    await settle(parts.clock);
    expect(stored().map(({ seqnum }) => seqnum)).toEqual([0, 1]);
  });

  test('E12 stored says where it lies, or why it was refused for good; nobody need listen', async () => {
    const { stored: place } = await author.publish(receipt(0));
    expect(await place).toEqual({ stream: 'VAK_RECEIPTS_acme', seq: 1, isDuplicate: false });
    parts.played.play = failing('limit-exceeded');
    const refused = await author.publish(receipt(1));
    await author.publish(receipt(2));
    expect(await codeOf(refused.stored)).toBe('limit-exceeded');
    await settle(parts.clock);
  });

  test('E12 the next session names the head that the outbox kept, even if nothing else was written', async () => {
    parts.status.set('reconnecting');
    const { envelope } = await author.publish(receipt(0));
    await outbox.close();
    outbox = await openTestOutbox(parts);
    const next = await make('d', { start: 2 }).publish(receipt(1));
    expect(next.envelope).toMatchObject({ seqnum: 0, resumes: `${envelope.source}#0:${leafOf(envelope)}` });
  });

  test('E12 work and inbox belong to the q session, the rest to the d session; what no stream keeps to neither', async () => {
    const [q, inbox] = [make('q'), 'vak.agent.acme.bob.inbox'];
    const on = (subject: string) => draftOf('{}', subject);
    expect((await q.publish(on(taskSubject))).envelope.source).toBe('vak://acme/ada/ada-1-q');
    expect((await q.publish(on(inbox))).envelope.seqnum).toBe(1);
    for (const subject of [receiptSubject, log, 'vak.events.acme.ada-1-e.status']) {
      expect(await codeOf(q.publish(on(subject)))).toBe('invalid-subject');
    }
    for (const subject of [taskSubject, inbox, 'vak.rooms.acme.r1.presence', 'vak.control.acme.x.run']) {
      expect(await codeOf(author.publish(on(subject)))).toBe('invalid-subject');
    }
    expect(author.head()).toBeUndefined();
  });

  test('E13 an unsigned envelope is never durable', async () => {
    const unsigned = make('d', { isUnsigned: true });
    await expect(unsigned.publish(receipt(0))).rejects.toThrow(TypeError);
    await expect(unsigned.publishExpecting(receipt(0), { expectedLastSeq: 0 })).rejects.toThrow(TypeError);
    expect([unsigned.head(), parts.played.appends]).toEqual([undefined, []]);
  });

  test('E12 those that wait for their turn are bounded', async () => {
    parts.journal.holdCommits();
    const codes = Array.from({ length: 4097 }, () => codeOf(author.publish(receipt(0))));
    expect(await codes[4096]).toBe('limit-exceeded');
  });

  test('W1 the message id is the id and the first 16 hex digits of the leaf', async () => {
    expect(
      messageIdOf(
        '0197a3c0-0000-7000-8000-000000000001',
        '187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8',
      ),
    ).toBe('0197a3c0-0000-7000-8000-000000000001187ad0f81e3c94a9');
    const { envelope } = await author.publish(receipt(0));
    await settle(parts.clock);
    expect(parts.played.appends[0]?.messageId).toBe(envelope.id + leafOf(envelope).slice(0, 16));
  });
});

describe('B8 a conditional publish', () => {
  const draft = (n: number) => draftOf(`{"n":${n}}`, log);

  test('B8 goes past the outbox, and the head advances when it is stored', async () => {
    const commitCount = parts.journal.commitCount;
    const { envelope, appended } = await author.publishExpecting(draft(0), { expectedLastSeq: 0 });
    expect(appended).toEqual({ stream: 'VAK_ROOMS_acme', seq: 1, isDuplicate: false });
    expect(author.head()).toEqual(headOf(envelope));
    await settle(parts.clock);
    // Only the head is kept.
    expect(parts.journal.commitCount).toBe(commitCount + 1);
    await outbox.close();
    outbox = await openTestOutbox(parts);
    expect(outbox.heads.previous('ada', 'd')).toEqual(headOf(envelope));
  });

  test('B8 of two one is refused, and its place is free for the next', async () => {
    await author.publishExpecting(draft(0), { expectedLastSeq: 0 });
    expect(await codeOf(author.publishExpecting(draft(1), { expectedLastSeq: 0 }))).toBe('conflict');
    const { envelope } = await author.publishExpecting(draft(2), { expectedLastSeq: 1 });
    expect([envelope.seqnum, outbox.waiting().count]).toEqual([1, 0]);
  });

  test('B8 it never waits for an engine', async () => {
    engine = undefined;
    expect(await codeOf(author.publishExpecting(draft(0), { expectedLastSeq: 0 }))).toBe('disconnected');
    const signal = AbortSignal.abort();
    expect(await codeOf(author.publishExpecting(draft(0), { expectedLastSeq: 0, signal }))).toBe('aborted');
    expect([author.head(), outbox.waiting().count]).toEqual([undefined, 0]);
  });

  test.each(['not-found', 'forbidden', 'read-only', 'disk-full'] as const)(
    'B8 %s leaves no doubt: the place stays free',
    async (code) => {
      parts.played.play = failing(code);
      expect(await codeOf(author.publishExpecting(draft(0), { expectedLastSeq: 0 }))).toBe(code);
      expect([author.head(), outbox.waiting().count]).toEqual([undefined, 0]);
    },
  );

  test('E12 a lost answer takes the place: the outbox finds it stored, and sends nothing', async () => {
    parts.played.play = failing('timeout', true);
    const doubt = author.publishExpecting(draft(0), { expectedLastSeq: 0 });
    await expect(doubt).rejects.toMatchObject({ code: 'timeout', details: { isUnknown: true } });
    parts.played.play = undefined;
    await settle(parts.clock);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 0 });
    expect((await author.publish(receipt(1))).envelope).toMatchObject({ seqnum: 1 });
    await settle(parts.clock);
    expect(stored().map(({ seqnum }) => seqnum)).toEqual([0, 1]);
    expect(parts.played.appends).toHaveLength(2);
  });

  test('E12 if it is not stored it is refused once it cannot come any more: after a while', async () => {
    parts.played.play = failing('disconnected');
    expect(await codeOf(author.publishExpecting(draft(0), { expectedLastSeq: 0 }))).toBe('disconnected');
    await advance(parts.clock, minute, 5000);
    expect(outbox.waiting()).toMatchObject({ count: 1, voidOwedCount: 0 });
    await advance(parts.clock, 2 * minute, 5000);
    expect(outbox.refusals()).toMatchObject([{ seq: 0, error: { code: 'conflict' } }]);
    expect(parts.played.appends).toHaveLength(1);
  });

  test('E12 or at once, when another message lies there', async () => {
    parts.played.play = failing('disconnected');
    parts.status.set('reconnecting');
    expect(await codeOf(author.publishExpecting(draft(0), { expectedLastSeq: 0 }))).toBe('disconnected');
    parts.played.play = undefined;
    await parts.played.plane.append(log, new Uint8Array(3));
    parts.status.set('connected');
    await settle(parts.clock);
    expect(outbox.refusals()).toMatchObject([{ seq: 0, error: { code: 'conflict' } }]);
  });
});
