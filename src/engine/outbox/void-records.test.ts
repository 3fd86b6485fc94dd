import { beforeEach, describe, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import {
  advance,
  createOutboxParts,
  durableAuthorWith,
  failing,
  minute,
  type OutboxParts,
  openTestOutbox,
  outboxEntry,
  settle,
  taskSubject,
} from '../../../tests/support/outbox-fixture.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { leafOf } from '../envelope/hashing.ts';
import { readVoidRecord } from '../envelope/void-record.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { DurableAuthor } from './durable-author.ts';
import type { Outbox } from './outbox.ts';
import { createVoidRecords } from './void-records.ts';

const voidSubject = 'vak.audit.acme.ada.void';

let parts: OutboxParts;
let outbox: Outbox;
let q: DurableAuthor;
let d: DurableAuthor;
let voids: Disposable;
let isLocked: boolean;

function begin(start: number): void {
  const randomness = createSeededRandomness(start);
  const shared = { outbox, clock: parts.clock, randomness, start, durable: () => parts.played.plane };
  q = durableAuthorWith({ ...shared, kind: 'q' });
  d = durableAuthorWith({ ...shared, kind: 'd' });
  const author: DurableAuthor = {
    ...d,
    async publish(draft, options) {
      if (isLocked) throw new VakError('locked', 'the key store is locked');
      return d.publish(draft, options);
    },
  };
  const names = { workspace: 'acme', peer: 'ada' };
  voids = createVoidRecords({ ...names, author, outbox, clock: parts.clock, randomness, logger: createSilentLogger() });
}

beforeEach(async () => {
  parts = createOutboxParts(createMemoryJournal());
  outbox = await openTestOutbox(parts);
  isLocked = false;
  begin(1);
});

async function restart(start: number): Promise<void> {
  voids.dispose();
  await outbox.close();
  outbox = await openTestOutbox(parts);
  begin(start);
}

const stored = (): Envelope[] => parts.played.all().map(({ data }) => decodeEnvelope(data));
const declared = () => stored().flatMap((envelope) => readVoidRecord(envelope) ?? []);
const task = (n: number) => draftOf(`{"n":${n}}`, taskSubject);
const refuseOn = (...subjects: string[]) => {
  parts.played.play = (subject) => (subjects.includes(subject) ? failing('limit-exceeded')() : undefined);
};

describe('E12 void records', () => {
  test('E12 each refused envelope is followed by one signed, unsealed record that readers accept', async () => {
    refuseOn(taskSubject);
    const refused = [await q.publish(task(0)), await q.publish(task(1))].map(({ envelope }) => envelope);
    await settle(parts.clock);
    expect(declared()).toEqual(refused.map((one) => ({ source: one.source, seq: one.seqnum, leaf: leafOf(one) })));
    expect(stored()).toMatchObject([0, 1].map((seqnum) => ({ seqnum, subject: voidSubject, type: 'vak.audit.void' })));
    expect(stored().every(({ signed, seal }) => signed !== undefined && seal === undefined)).toBe(true);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 0 });
  });

  test('E12 a refused record is followed by none', async () => {
    refuseOn(taskSubject, voidSubject);
    await q.publish(task(0));
    await advance(parts.clock, 5 * minute, 10_000);
    expect(parts.played.appends.map(({ subject }) => subject)).toEqual([taskSubject, voidSubject]);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 0 });
  });

  test('E12 a refused checkpoint is voided once, and that is the end of it', async () => {
    const checkpoint = 'vak.audit.acme.ada.checkpoint';
    refuseOn(checkpoint, voidSubject);
    await d.publish(draftOf('{}', checkpoint));
    await advance(parts.clock, 5 * minute, 10_000);
    expect(parts.played.appends.map(({ subject }) => subject)).toEqual([checkpoint, voidSubject]);
  });

  test('E12 while it cannot be signed it is owed, and tried again', async () => {
    refuseOn(taskSubject);
    isLocked = true;
    await q.publish(task(0));
    await settle(parts.clock);
    expect(outbox.waiting()).toMatchObject({ count: 0, voidOwedCount: 1 });
    isLocked = false;
    await advance(parts.clock, 30_000, 5000);
    expect(declared()).toHaveLength(1);
  });

  test('E12 what is owed is published after a restart, in the chain of the new session', async () => {
    refuseOn(taskSubject);
    isLocked = true;
    const { envelope } = await q.publish(task(0));
    await settle(parts.clock);
    isLocked = false;
    await restart(2);
    await settle(parts.clock);
    expect(declared()).toEqual([{ source: envelope.source, seq: 0, leaf: leafOf(envelope) }]);
    expect(stored()).toMatchObject([{ source: 'vak://acme/ada/ada-2-d' }]);
    await restart(3);
    await settle(parts.clock);
    expect(declared()).toHaveLength(1);
  });

  test('E12 drain waits for the records too', async () => {
    refuseOn(taskSubject);
    await q.publish(task(0));
    expect(await outbox.drain(1000)).toBe(true);
    expect(declared()).toHaveLength(1);
  });

  test('E12 of other peers and workspaces nothing is said', async () => {
    refuseOn(taskSubject);
    await outbox.put(outboxEntry(0, { source: 'vak://acme/bob/bob-1-q', messageId: 'b' }));
    await outbox.put(outboxEntry(0, { source: 'vak://other/ada/ada-1-q', messageId: 'o' }));
    await q.publish(task(0));
    await settle(parts.clock);
    expect(declared()).toMatchObject([{ source: 'vak://acme/ada/ada-1-q' }]);
    expect(outbox.waiting().voidOwedCount).toBe(2);
  });

  test('E12 after disposing nothing is published', async () => {
    voids.dispose();
    refuseOn(taskSubject);
    await q.publish(task(0));
    await advance(parts.clock, 2 * minute, 10_000);
    expect([declared(), outbox.waiting().voidOwedCount]).toEqual([[], 1]);
    await outbox.close();
    expect(parts.clock.timerCount).toBe(0);
  });
});
