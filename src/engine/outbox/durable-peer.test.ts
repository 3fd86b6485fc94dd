import { afterEach, beforeEach, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import {
  codeOf,
  createPlayedStatus,
  minute,
  type PlayedStatus,
  settle,
  taskSubject,
} from '../../../tests/support/outbox-fixture.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { type StreamSpec, streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import type { Journal } from '../bus/memory/journal.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { leafOf } from '../envelope/hashing.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type DurablePeer, openDurablePeer } from './durable-peer.ts';

const logger = createSilentLogger();
let clock: FakeClock;
let fabric: Fabric;
let status: PlayedStatus;
let journal: Journal;
let startCount: number;

beforeEach(async () => {
  clock = createFakeClock();
  startCount = 0;
  status = createPlayedStatus();
  const randomness = createSeededRandomness(1);
  fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
  journal = createMemoryJournal();
});

afterEach(() => fabric.close());

/** A start of the peer's process over the same journal, as its file is the same. */
function start(): Promise<DurablePeer> {
  const open: Journal = { ...journal, close: async () => {} };
  return openDurablePeer({
    ...{ workspace: 'acme', peer: 'ada', signer: signerOf(1), journal: open, status, clock, logger },
    ...{ durable: () => fabric.durable, randomness: createSeededRandomness(100 + startCount++) },
  });
}

/** Lets everything run until something is over. */
async function over<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  watched.catch(() => undefined);
  while (!isOver) await settle(clock);
  return await watched;
}

async function stored(stream: string): Promise<Envelope[]> {
  const page = await fabric.durable.stream(`VAK_${stream}_acme`).read({ limit: 100 });
  return page.messages.map(({ data }) => decodeEnvelope(data));
}

const spec = (name: string): StreamSpec => {
  const found = streamsOf('acme').find((one) => one.name === `VAK_${name}_acme`);
  if (found === undefined) throw new Error(`no stream ${name}`);
  return found;
};

test('E12 work goes out in the session of kind q, the rest in that of kind d, each a chain of its own', async () => {
  const peer = await start();
  const receipt = `vak.receipts.acme.${peer.session('d')}.completed`;
  for (const subject of [taskSubject, receipt, taskSubject])
    await over((await peer.publish(draftOf('{}', subject))).stored);
  const [first, second] = await stored('WORK');
  const [only] = await stored('RECEIPTS');
  expect([first?.sessionid, second?.sessionid, only?.sessionid]).toEqual([
    peer.session('q'),
    peer.session('q'),
    peer.session('d'),
  ]);
  expect(second?.prevhash).toBe(first && leafOf(first));
  expect([second?.seqnum, only?.seqnum]).toEqual([1, 0]);
  await over(peer.close(minute));
});

test('E14 closing puts the head of each chain on record, checkpoints apart', async () => {
  const peer = await start();
  await over((await peer.publish(draftOf('{}', taskSubject))).stored);
  expect(await over(peer.close(minute))).toBe(true);
  const [task] = await stored('WORK');
  const checkpoints = await stored('CHAIN');
  expect(checkpoints.map((one) => decodePayload('vak.audit.checkpoint', payloadBytesOf(one)))).toMatchObject([
    { source: task?.source, seq: 0, head: task && leafOf(task) },
  ]);
});

test('E12 the next start begins new chains, and each names the one before', async () => {
  const first = await start();
  await over((await first.publish(draftOf('{}', taskSubject))).stored);
  await over(first.close(minute));
  const second = await start();
  expect(second.session('q')).not.toBe(first.session('q'));
  await over((await second.publish(draftOf('{}', taskSubject))).stored);
  await over(second.close(minute));
  const [one, two] = await stored('WORK');
  expect(two).toMatchObject({ seqnum: 0, resumes: `${one?.source}#0:${one && leafOf(one)}` });
});

test('B8 what is not stored when the process ends is stored by the next one, once', async () => {
  status.set('reconnecting');
  const first = await start();
  await over(first.publish(draftOf('{}', taskSubject)));
  expect(await over(first.close(0))).toBe(false);
  expect(await stored('WORK')).toEqual([]);
  status.set('connected');
  const second = await start();
  expect(await over(second.drain(minute))).toBe(true);
  await over(second.close(minute));
  expect(await stored('WORK')).toHaveLength(1);
});

test('E12 an envelope that is refused for good is followed by a void record before closing ends', async () => {
  const peer = await start();
  const lost = 'vak.agent.acme.ghost.inbox';
  const { envelope, stored: fate } = await peer.publish(draftOf('{}', lost));
  expect(await over(codeOf(fate))).toBe('no-such-peer');
  expect(await over(peer.close(minute))).toBe(true);
  const records = await stored('CHAIN');
  const [voided] = records.filter(({ type }) => type === 'vak.audit.void');
  expect(voided && decodePayload('vak.audit.void', payloadBytesOf(voided))).toMatchObject({
    source: envelope.source,
    seq: 0,
    leaf: leafOf(envelope),
  });
});

test('E15 what was handled is remembered by the next start, by stream', async () => {
  const key = { source: 'vak://acme/eve/eve-1-q', id: '0197a3c0-0000-7000-8000-000000000001' };
  const first = await start();
  expect(await (await first.handled(spec('WORK'))).handleOnce(key, async () => undefined)).toBe(true);
  await over(first.close(0));
  const second = await start();
  expect(await (await second.handled(spec('WORK'))).isNew(key)).toBe(false);
  expect(await (await second.handled(spec('INBOX'))).isNew(key)).toBe(true);
  await over(second.close(0));
});

test('W1 a publisher may name what the stream knows its message by', async () => {
  const peer = await start();
  await over((await peer.publish(draftOf('{}', taskSubject), { messageId: 'dlq:1' })).stored);
  expect((await fabric.durable.stream('VAK_WORK_acme').get(1))?.messageId).toBe('dlq:1');
  await over(peer.close(minute));
});

test('S4 an ephemeral subject is refused before it has a place', async () => {
  const peer = await start();
  expect(await codeOf(peer.publish(draftOf('{}', 'vak.events.acme.s-e.status')))).toBe('invalid-subject');
  expect(peer.waiting().count).toBe(0);
  await over(peer.close(0));
});
