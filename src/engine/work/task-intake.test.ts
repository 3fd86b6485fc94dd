import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import {
  createTrustedWorkspace,
  type PeerOptions,
  type TrustedPeer,
  type TrustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { connectForTest } from '../../../tests/support/vak-bus.ts';
import { toBase64, toText, utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { type StreamSpec, streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Consumer, Delivery } from '../bus/durable.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { type DurablePeer, openDurablePeer } from '../outbox/durable-peer.ts';
import type { HandledMemory } from '../outbox/handled-memory.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createDeadLetterOffice } from './dead-letter-office.ts';
import { createTaskIntake, type TaskIntake } from './task-intake.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const taskSubject = 'vak.work.acme.q.task';
const command = { command: ['true'] };
const work = streamsOf('acme').find(({ name }) => name === 'VAK_WORK_acme') as StreamSpec;

interface DeadLetter {
  readonly envelopeId: string | null;
  readonly taskLeaf: string;
  readonly errorClass: string;
  readonly reason: string;
  readonly envelope: unknown;
}

/** The same envelope under another signature of the right length. */
function withOtherSignature(written: { readonly data: Uint8Array; readonly envelope: Envelope }) {
  const fields = JSON.parse(toText(written.data)) as { signature: string };
  const first = fields.signature.startsWith('A') ? 'B' : 'A';
  const signature = first + fields.signature.slice(1);
  return { ...written, data: utf8(JSON.stringify({ ...fields, signature })) };
}

/** A delivery that comes back at once; `delays` notes how long it should have taken. */
function withoutDelay(delivery: Delivery, delays: (number | undefined)[] = []): Delivery {
  return {
    ...delivery,
    nak(delayMs) {
      delays.push(delayMs);
      return delivery.nak();
    },
  };
}

const openMemory = (): Promise<Fabric> => createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  let server: NatsServer | undefined;
  let fabric: Fabric;
  let workspace: TrustedWorkspace;
  let worker: TrustedPeer;
  let durable: DurablePeer;
  let handled: HandledMemory;
  let consumer: Consumer;
  let intake: TaskIntake;

  beforeEach(async () => {
    server = engine === 'embedded' ? undefined : await startNatsServer();
    fabric = server === undefined ? await openMemory() : await connectForTest(server.url);
    for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
    consumer = await fabric.durable.stream(work.name).ensureConsumer({
      ...{ name: 'q', filter: taskSubject, ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 100, start: 'all' },
    });
    workspace = createTrustedWorkspace();
    worker = workspace.peer('wilma', { roles: ['worker'] });
    durable = await openDurablePeer({
      ...{ ...ports, workspace: 'acme', peer: 'wilma', signer: worker.signer, sealer: worker.sealer },
      ...{ journal: createMemoryJournal(), status: fabric, durable: () => fabric.durable },
    });
    handled = await durable.handled(work);
    const { judge, reader } = workspace;
    const office = createDeadLetterOffice({
      ...{ workspace: 'acme', peer: 'wilma', publisher: durable, durable: () => fabric.durable, judge },
      randomness: ports.randomness,
    });
    intake = createTaskIntake({ peer: 'wilma', judge, reader, handled, office, clock: ports.clock, maxDeliver: 4 });
  });

  afterEach(async () => {
    await durable.close(0);
    await fabric.close();
    await server?.stop();
  });

  const coordinator = (options: PeerOptions = {}): TrustedPeer =>
    workspace.peer('carla', { roles: ['coordinator'], kind: 'q', ...options });

  async function claim(data: Uint8Array): Promise<Delivery> {
    await fabric.durable.append(taskSubject, data);
    return await claimAgain();
  }

  async function claimAgain(): Promise<Delivery> {
    const [delivery] = await consumer.pull({ batch: 1, waitMs: 8_000 });
    if (delivery === undefined) throw new Error('no task came');
    return delivery;
  }

  async function deadLetters(): Promise<DeadLetter[]> {
    const { messages } = await fabric.durable.stream('VAK_DLQ_acme').read({ limit: 100 });
    return messages.flatMap((message) => {
      const verdict = workspace.judge(message);
      return verdict.kind === 'accepted' ? [JSON.parse(toText(verdict.payload)) as DeadLetter] : [];
    });
  }

  const taskCount = async (): Promise<number> => (await fabric.durable.stream(work.name).state()).messageCount;

  test('E8 a task that is sound is given to the handler, opened, and stays claimed', async () => {
    const { data, envelope } = coordinator().write(command, '', taskSubject);
    const admitted = await intake.admit(await claim(data));
    expect(admitted).toMatchObject({ kind: 'accepted', task: command, envelope: { id: envelope.id } });
    expect([await taskCount(), await deadLetters()]).toEqual([1, []]);
    expect((await consumer.state()).inFlightCount).toBe(1);
  });

  test.each([
    ['unsigned', () => coordinator({ isSigning: false }).write(command, '', taskSubject)],
    ['plain', () => coordinator({ isSealing: false }).write(command, '', taskSubject)],
    ['signature', () => withOtherSignature(coordinator().write(command, '', taskSubject))],
    ['malformed', () => coordinator().write({ nothing: 'to run' }, '', taskSubject)],
    ['misplaced', () => coordinator().write(command, '', 'vak.work.acme.other.task')],
  ] as const)('W3 a task that is refused (%s) becomes a dead letter that holds it as it was', async (reason, write) => {
    const { data, envelope } = write();
    const delivery = await claim(data);
    expect(await intake.admit(delivery)).toMatchObject({ kind: 'ended', refusal: { reason } });
    const letters = await deadLetters();
    expect(letters).toMatchObject([{ envelopeId: envelope.id, errorClass: `refused.${reason}` }]);
    expect(letters[0]?.envelope).toEqual(JSON.parse(toText(data)));
    expect(await taskCount()).toBe(0);
  });

  test('I4 a task whose signer is not granted yet is waited for, and accepted when the grant is there', async () => {
    const { data } = coordinator({ key: 7, isGranted: false }).write(command, '', taskSubject);
    const delivery = await claim(data);
    workspace.vainLooks = 1;
    workspace.grantElsewhere('carla', { key: 7, roles: ['coordinator'] });
    expect(await intake.admit(withoutDelay(delivery))).toEqual({ kind: 'returned' });
    expect(await intake.admit(await claimAgain())).toMatchObject({ kind: 'accepted' });
    expect(await deadLetters()).toEqual([]);
  });

  test.each([
    ['nobody has granted', { isGranted: false }],
    ['is granted another role', { roles: ['worker'] }],
  ] as const)('W2 a task whose signer %s is buried at its last delivery', async (_, options) => {
    const { data } = coordinator(options).write(command, '', taskSubject);
    const delivery = await claim(data);
    const last: Delivery = { ...delivery, deliveryCount: 4 };
    expect(await intake.admit(last)).toMatchObject({ kind: 'ended', refusal: { reason: 'sender' } });
    expect(await deadLetters()).toMatchObject([{ errorClass: 'refused.sender' }]);
    expect(await taskCount()).toBe(0);
  });

  test('W4 what is no envelope lies in its dead letter as base64, under the digest of its bytes', async () => {
    const data = Uint8Array.of(0xff, 0x00, 0x7b);
    expect(await intake.admit(await claim(data))).toMatchObject({ kind: 'ended', refusal: { reason: 'malformed' } });
    expect(await deadLetters()).toMatchObject([
      {
        envelopeId: null,
        taskLeaf: 'b63c6c748b070064da9afd864dfb43bf94fdfccc16e8e168f420551eeda3416f',
        envelope: toBase64(data),
      },
    ]);
  });

  test('W4 what is too large for a dead letter lies in the bucket of its writer', async () => {
    const data = new Uint8Array(500 * 1024).fill(7);
    await intake.admit(await claim(data));
    const bucket = mediaBucket('acme', 'wilma');
    const [letter] = await deadLetters();
    if (letter === undefined) throw new Error('there is no dead letter');
    const { object } = letter.envelope as { object: string };
    expect(letter).toMatchObject({ envelope: { bucket, sha256: letter.taskLeaf } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of fabric.durable.objects(bucket).get(object)) chunks.push(chunk);
    expect(Buffer.compare(Buffer.concat(chunks), data)).toBe(0);
  });

  test('W3 a worker that dies between storing the dead letter and ending the task leaves one dead letter', async () => {
    const { data } = coordinator({ isSigning: false }).write(command, '', taskSubject);
    const delivery = await claim(data);
    const dying: Delivery = {
      ...delivery,
      term: () => Promise.reject(new Error('killed')),
    };
    await expect(intake.admit(dying)).rejects.toThrow('killed');
    await delivery.nak();
    expect(await intake.admit(await claimAgain())).toMatchObject({ kind: 'ended' });
    expect(await deadLetters()).toHaveLength(1);
    expect(await taskCount()).toBe(0);
  });

  test("W3 what squats on a dead letter's id hides nothing", async () => {
    const { data } = coordinator({ isSigning: false }).write(command, '', taskSubject);
    const delivery = await claim(data);
    const reading = workspace.reader.read(data);
    if (reading.kind !== 'envelope') throw new Error('it is an envelope');
    const squatter = utf8('nothing to see here');
    await fabric.durable.append('vak.dlq.acme.wilma.failed', squatter, { messageId: `dlq:${reading.leaf}` });
    expect(await intake.admit(delivery)).toMatchObject({ kind: 'ended' });
    expect(await deadLetters()).toMatchObject([{ taskLeaf: reading.leaf }]);
    expect(await taskCount()).toBe(0);
  });

  test('E15 a task that was handled is acknowledged, and not handled again', async () => {
    const { data, envelope } = coordinator().write(command, '', taskSubject);
    await handled.handleOnce({ source: envelope.source, id: envelope.id }, async () => undefined);
    expect(await intake.admit(await claim(data))).toEqual({ kind: 'ended', refusal: undefined });
    expect([await taskCount(), await deadLetters()]).toEqual([0, []]);
  });

  test('E8 while the keys are locked a task is neither handled nor buried', async () => {
    const { data } = coordinator().write(command, '', taskSubject);
    const delivery = await claim(data);
    const delays: (number | undefined)[] = [];
    workspace.secrets = undefined;
    expect(await intake.admit(withoutDelay(delivery, delays))).toEqual({ kind: 'returned' });
    expect(delays).toEqual([5_000]);
    expect(await deadLetters()).toEqual([]);
    expect((await claimAgain()).message.data).toEqual(data);
  });
});
