import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  type TrustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { connectForTest } from '../../../tests/support/vak-bus.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Refusal } from '../../shared/contract/trust-report.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { openHandledMemory } from '../outbox/handled-memory.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness, createSystemRandomness } from '../ports/randomness.ts';
import { handOnDelayMs, type Inbox, type InboxMessage, openInbox } from './inbox.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const subject = 'vak.agent.acme.wilma.inbox';
const stream = 'VAK_INBOX_acme';
const patience = { timeout: 10_000, interval: 10 };
const text = (words: string) => ({ kind: 'text', text: words });

/** The bytes of a message for the inbox. */
function write({ author }: TrustedPeer, payload: object): Uint8Array {
  let data = new Uint8Array();
  const draft = { subject, type: 'vak.agent.message', payload: utf8(JSON.stringify(payload)) };
  author.publish({ ...draft, trace: startTrace(ports.randomness.bytes) }, (bytes) => {
    data = Uint8Array.from(bytes);
  });
  return data;
}

test('W2 what is for another process goes round for longer than a command is obeyed, and never in step', () => {
  const [one, two] = [createSeededRandomness(7), createSeededRandomness(8)];
  const delays = Array.from({ length: 63 }, (_, i) => handOnDelayMs(i + 1, one));
  expect(delays[0]).toBeLessThanOrEqual(150);
  expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(60_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(3_000);
  expect(Array.from({ length: 63 }, (_, i) => handOnDelayMs(i + 1, two))).not.toEqual(delays);
});

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  let server: NatsServer | undefined;
  let fabric: Fabric;
  let workspace: TrustedWorkspace;
  let ada: TrustedPeer;
  let inbox: Inbox;
  let received: InboxMessage[];
  let refused: Refusal[];
  let troubles: string[];

  beforeEach(async () => {
    server = engine === 'embedded' ? undefined : await startNatsServer();
    const memory = { ...ports, folder: undefined, durability: 'written' } as const;
    fabric = server === undefined ? await createEmbeddedFabric(memory) : await connectForTest(server.url);
    for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
    workspace = createTrustedWorkspace();
    ada = workspace.peer('ada', { roles: ['operator'], kind: 'q' });
    [received, refused, troubles] = [[], [], []];
    const bounds = { maxAgeMs: 3_600_000, capacity: 100, name: 'inbox' };
    const handled = await openHandledMemory({ journal: createMemoryJournal(), clock: ports.clock, ...bounds });
    inbox = await openInbox({
      ...{ workspace: 'acme', peer: 'wilma', durable: fabric.durable, judge: workspace.judge, handled, ...ports },
      isForMe: ({ message }) => message.text !== 'for another',
      onMessage: (message) => void received.push(message),
      onRefused: (refusal) => refused.push(refusal),
      onTrouble: (code) => troubles.push(code),
    });
  });

  afterEach(async () => {
    await inbox.close();
    await fabric.close();
    await server?.stop();
  });

  const append = (data: Uint8Array) => fabric.durable.append(subject, data);
  const leftCount = async (): Promise<number> => (await fabric.durable.stream(stream).state()).messageCount;

  test('E8 what is sound is given on with the roles of its sender, in order, and leaves the stream', async () => {
    for (const words of ['one', 'two']) await append(write(ada, text(words)));
    await expect.poll(() => received.length, patience).toBe(2);
    expect(received.map(({ message, roles }) => [message.text, roles])).toEqual([
      ['one', ['operator']],
      ['two', ['operator']],
    ]);
    await expect.poll(leftCount, patience).toBe(0);
  });

  test('E8 what is refused is told and ended, and what comes after it is handled', async () => {
    await append(Uint8Array.of(1, 2, 3));
    await append(write(workspace.peer('eve', { isSealing: false, kind: 'q' }), text('plain')));
    await append(write(ada, { kind: 'signal' }));
    await append(write(ada, text('sound')));
    await expect.poll(() => received.length, patience).toBe(1);
    expect(refused.map(({ reason }) => reason)).toEqual(['malformed', 'plain', 'malformed']);
    await expect.poll(leftCount, patience).toBe(0);
  });

  test('E21 however many messages nobody can prove, a sound one gets through, and they are told and ended', async () => {
    const stranger = workspace.peer('stranger', { isGranted: false, kind: 'q' });
    for (let i = 0; i < 200; i++) await append(write(stranger, text(`${i}`)));
    await append(write(ada, text('sound')));
    await expect.poll(() => received.map(({ message }) => message.text), patience).toEqual(['sound']);
    expect(refused.length).toBeGreaterThanOrEqual(184);
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['sender']));
    expect(await leftCount()).toBeLessThanOrEqual(16);
  });

  test('E15 a message that comes twice is handled once', async () => {
    const data = write(ada, text('once'));
    await append(data);
    await append(data);
    await append(write(ada, text('then')));
    await expect.poll(() => received.at(-1)?.message.text, patience).toBe('then');
    expect(received).toHaveLength(2);
    await expect.poll(leftCount, patience).toBe(0);
  });

  test('W2 a message for another process of the same peer reaches it', async () => {
    const others: InboxMessage[] = [];
    const bounds = { maxAgeMs: 3_600_000, capacity: 100, name: 'inbox' };
    const handled = await openHandledMemory({ journal: createMemoryJournal(), clock: ports.clock, ...bounds });
    const other = await openInbox({
      ...{ workspace: 'acme', peer: 'wilma', durable: fabric.durable, judge: workspace.judge, handled, ...ports },
      isForMe: ({ message }) => message.text === 'for another',
      onMessage: (message) => void others.push(message),
      onRefused: (refusal) => refused.push(refusal),
      onTrouble: (code) => troubles.push(code),
    });
    for (const words of ['for another', 'here', 'for another', 'here']) await append(write(ada, text(words)));
    await expect.poll(() => [received.length, others.length], patience).toEqual([2, 2]);
    expect(refused).toEqual([]);
    await other.close();
  });

  test('B8 what was stored before the inbox was opened is told from what comes', async () => {
    await inbox.close();
    await append(write(ada, text('before')));
    inbox = await openInbox({
      ...{ workspace: 'acme', peer: 'wilma', durable: fabric.durable, judge: workspace.judge, ...ports },
      handled: { handleOnce: async (_, handler) => (await handler()) === undefined },
      isForMe: () => true,
      onMessage: (message) => void received.push(message),
      onRefused: (refusal) => refused.push(refusal),
      onTrouble: (code) => troubles.push(code),
    });
    await append(write(ada, text('after')));
    await expect.poll(() => received.length, patience).toBe(2);
    expect(received.map(({ message, isOld }) => [message.text, isOld])).toEqual([
      ['before', true],
      ['after', false],
    ]);
  });

  test('B8 an inbox whose consumer was deleted is made again, and that is told once', async () => {
    await fabric.durable.stream(stream).deleteConsumer('inbox-wilma');
    await expect.poll(() => troubles, patience).toEqual(['not-found']);
    await expect
      .poll(async () => (await fabric.durable.stream(stream).consumers()).map(({ spec }) => spec.name), patience)
      .toEqual(['inbox-wilma']);
    await append(write(ada, text('after')));
    await expect.poll(() => received.length, patience).toBe(1);
  });
});
