import { beforeEach, describe, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import {
  advance,
  createOutboxParts,
  durableAuthorWith,
  type OutboxParts,
  openTestOutbox,
  receiptSubject,
  settle,
  taskSubject,
} from '../../../tests/support/outbox-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import type { DurableAuthor } from './durable-author.ts';
import type { Outbox } from './outbox.ts';

const checkpointSubject = 'vak.audit.acme.ada.checkpoint';

let parts: OutboxParts;
let outbox: Outbox;
let q: DurableAuthor;
let d: DurableAuthor;
let checkpoints: Checkpoints;
let heads: ChainHead[];
let isLocked: boolean;
let triedCount: number;

beforeEach(async () => {
  parts = createOutboxParts(createMemoryJournal());
  const { clock } = parts;
  outbox = await openTestOutbox(parts);
  heads = [];
  isLocked = false;
  triedCount = 0;
  const randomness = createSeededRandomness(1);
  const onAdvanced = (head: ChainHead, { subject }: Envelope): void => {
    if (subject !== checkpointSubject) heads.push(head);
    checkpoints.note(head, subject);
  };
  const shared = { outbox, clock, randomness, durable: () => parts.played.plane, onAdvanced };
  q = durableAuthorWith({ ...shared, kind: 'q' });
  d = durableAuthorWith({ ...shared, kind: 'd' });
  const author: Pick<DurableAuthor, 'publish'> = {
    async publish(draft) {
      triedCount++;
      if (isLocked) throw new VakError('locked', 'the key store is locked');
      return d.publish(draft);
    },
  };
  const logger = createSilentLogger();
  checkpoints = createCheckpoints({ workspace: 'acme', peer: 'ada', author, clock, randomness, logger });
});

async function publish(count: number, author = d): Promise<void> {
  const subject = author === d ? receiptSubject : taskSubject;
  for (let n = 0; n < count; n++) await author.publish(draftOf(`{"n":${n}}`, subject));
  await settle(parts.clock);
}

const written = (): Envelope[] =>
  (parts.played.stored.get('VAK_CHAIN_acme') ?? []).map(({ data }) => decodeEnvelope(data));
const recorded = () => written().map((envelope) => decodePayload('vak.audit.checkpoint', payloadBytesOf(envelope)));

describe('E14 checkpoints', () => {
  test('E14 60 s after the first new envelope the head is on record, signed and unsealed; then silence', async () => {
    await publish(1);
    await advance(parts.clock, 30_000, 10_000);
    await publish(2);
    await advance(parts.clock, 29_000);
    expect(recorded()).toEqual([]);
    await advance(parts.clock, 1000);
    const { source, seq, leaf } = heads[2] as ChainHead;
    expect(recorded()).toEqual([{ source, seq, head: leaf, at: '2026-01-02T03:05:05.000Z' }]);
    expect(seq).toBe(2);
    expect(written()).toMatchObject([{ subject: checkpointSubject, seal: undefined, type: 'vak.audit.checkpoint' }]);
    expect(written()[0]?.signed).toBeDefined();
    await advance(parts.clock, 600_000, 10_000);
    expect(recorded()).toHaveLength(1);
    expect(parts.clock.timerCount).toBe(0);
  });

  test('E14 after 256 it is on record at once, and the minute begins anew', async () => {
    await publish(255, q);
    expect(recorded()).toEqual([]);
    await publish(1, q);
    expect(recorded()).toMatchObject([{ source: 'vak://acme/ada/ada-1-q', seq: 255, head: heads[255]?.leaf }]);
    await publish(255, q);
    expect(recorded()).toHaveLength(1);
    await advance(parts.clock, 60_000, 10_000);
    expect(recorded().map(({ seq }) => seq)).toEqual([255, 510]);
  });

  test('E14 in the chain that carries them no envelope is further than 256 from the next head on record', async () => {
    await publish(600);
    await publish(300, q);
    await checkpoints.flush();
    await settle(parts.clock);
    for (const chain of ['ada-1-d', 'ada-1-q']) {
      const seqs = recorded()
        .filter(({ source }) => source.endsWith(chain))
        .map(({ seq }) => seq);
      const steps = seqs.map((seq, n) => seq - (seqs[n - 1] ?? -1));
      expect(Math.max(...steps)).toBe(256);
      const last = heads.findLast(({ source }) => source.endsWith(chain));
      expect(seqs.at(-1)).toBeGreaterThanOrEqual(last?.seq ?? Number.POSITIVE_INFINITY);
    }
  });

  test('E14 each chain has its own', async () => {
    await publish(1);
    await advance(parts.clock, 30_000, 10_000);
    await publish(1, q);
    await advance(parts.clock, 30_000, 10_000);
    expect(recorded().map(({ source }) => source)).toEqual(['vak://acme/ada/ada-1-d']);
    await advance(parts.clock, 30_000, 10_000);
    expect(recorded().map(({ source }) => source)).toEqual(['vak://acme/ada/ada-1-d', 'vak://acme/ada/ada-1-q']);
  });

  test('E14 one that cannot be signed is tried again after the time, not with each envelope', async () => {
    isLocked = true;
    await publish(300, q);
    expect(triedCount).toBe(1);
    await advance(parts.clock, 60_000, 10_000);
    expect(triedCount).toBe(2);
    isLocked = false;
    await advance(parts.clock, 60_000, 10_000);
    expect(recorded()).toMatchObject([{ seq: 299 }]);
  });

  test('E14 flush puts the ends on record; after disposing there is nothing', async () => {
    await publish(3);
    await publish(2, q);
    await checkpoints.flush();
    await settle(parts.clock);
    expect(recorded().map(({ seq }) => seq)).toEqual([2, 1]);
    await checkpoints.flush();
    await publish(1);
    checkpoints.dispose();
    await publish(1);
    await advance(parts.clock, 120_000, 10_000);
    expect(recorded()).toHaveLength(2);
    await outbox.close();
    expect(parts.clock.timerCount).toBe(0);
  });
});
