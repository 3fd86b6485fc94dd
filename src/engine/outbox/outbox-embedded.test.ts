import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  advance,
  codeOf,
  minute,
  outboxEntry,
  receiptSubject,
  settle,
  textOf,
} from '../../../tests/support/outbox-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { openOutbox } from './open-outbox.ts';
import type { Outbox } from './outbox.ts';

let clock: FakeClock;
let fabric: Fabric;
let outbox: Outbox;

beforeEach(async () => {
  clock = createFakeClock();
  const [randomness, logger] = [createSeededRandomness(1), createSilentLogger()];
  fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
  const journal = createMemoryJournal();
  outbox = await openOutbox({ journal, durable: () => fabric.durable, status: fabric, clock, randomness, logger });
});

afterEach(async () => {
  await outbox.close();
  await fabric.close();
});

const receipt = (seq: number) => outboxEntry(seq, { subject: receiptSubject });

async function texts(): Promise<string[]> {
  const page = await fabric.durable.stream('VAK_RECEIPTS_acme').read({ limit: 1000 });
  return page.messages.map(({ data }) => toText(data));
}

test('B8 with the embedded engine: in order, once, under their ids', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, seq) => outbox.put(receipt(seq))));
  while (outbox.waiting().count > 0) await settle(clock);
  expect(await texts()).toEqual(Array.from({ length: 100 }, (_, seq) => textOf(seq)));
  const first = await fabric.durable.stream('VAK_RECEIPTS_acme').get(1);
  expect(first?.messageId).toBe(textOf(0));
});

test('W1 with the embedded engine: another message under its id refuses it, the same one does not', async () => {
  await fabric.durable.append(receiptSubject, utf8('something else'), { messageId: textOf(0) });
  await fabric.durable.append(receiptSubject, utf8(textOf(1)), { messageId: textOf(1) });
  const puts = [0, 1].map((seq) => outbox.put(receipt(seq)));
  const settled = [0, 1].map((seq) => codeOf(outbox.settled(textOf(seq))));
  await Promise.all(puts);
  expect(await Promise.all(settled)).toEqual(['conflict', 'none']);
  expect(await texts()).toHaveLength(2);
});

test('B8 with the embedded engine: a message to a peer without an inbox is refused for good', async () => {
  await outbox.put(outboxEntry(0, { subject: 'vak.agent.acme.ghost.inbox' }));
  await advance(clock, minute, 5000);
  expect(outbox.refusals()).toMatchObject([{ seq: 0, error: { code: 'no-such-peer' } }]);
});
