import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { codeOf, taskSubject } from '../../../tests/support/outbox-fixture.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { openDurablePeer } from './durable-peer.ts';
import { listOutboxFolders, listOutboxSlots, openOutboxSlot, openOwnOutbox, outboxFolder } from './outbox-folder.ts';
import { sendLeft } from './send-left.ts';

const [clock, randomness, logger] = [createSystemClock(), createSystemRandomness(), createSilentLogger()];
const ports = { clock, logger };
let root: string;
let fabrics: Fabric[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vak-outbox-'));
  fabrics = [];
});

afterEach(async () => {
  for (const fabric of fabrics) await fabric.close();
  await rm(root, { recursive: true, force: true });
});

async function openFabric(): Promise<Fabric> {
  const fabric = await createEmbeddedFabric({
    ...{ folder: undefined, durability: 'written', clock, randomness, logger },
  });
  fabrics.push(fabric);
  for (const spec of streamsOf('acme')) await fabric.durable.ensureStream(spec);
  return fabric;
}

const folderFor = (destination: string) => outboxFolder(root, { workspace: 'acme', destination, peer: 'ada' });

/** A process that puts one message while there is no engine, and ends. */
async function leaveOne(destination: string, slot: number): Promise<void> {
  const fabric = await openFabric();
  const journal = await openOutboxSlot(folderFor(destination), slot, ports);
  if (journal === undefined) throw new Error('it is open already');
  const peer = await openDurablePeer({
    ...{ workspace: 'acme', peer: 'ada', signer: signerOf(1), journal, status: fabric, clock, randomness, logger },
    durable: () => undefined,
  });
  await peer.publish(draftOf('{}', taskSubject));
  expect(await peer.close(0)).toBe(false);
}

const taskCount = async ({ durable }: Fabric): Promise<number> =>
  (await durable.stream('VAK_WORK_acme').state()).messageCount;

function send(destination: string, fabric: Fabric) {
  const deps = { signer: signerOf(1), durable: () => fabric.durable, status: fabric, clock, randomness, logger };
  return sendLeft(folderFor(destination), deps, { limitMs: 10_000 });
}

test('B8 each process of a peer has a journal of its own, and the first free one is taken', async () => {
  const folder = folderFor('prod');
  const first = await openOwnOutbox(folder, ports);
  const second = await openOwnOutbox(folder, ports);
  expect([first.slot, second.slot]).toEqual([0, 1]);
  expect(await openOutboxSlot(folder, 0, ports)).toBeUndefined();
  await first.journal.close();
  const third = await openOwnOutbox(folder, ports);
  expect(third.slot).toBe(0);
  await second.journal.close();
  await third.journal.close();
  expect(await listOutboxSlots(folder)).toEqual([0, 1]);
});

test('B8 what ended processes left is sent from each of their journals, once', async () => {
  await leaveOne('prod', 0);
  await leaveOne('prod', 3);
  const fabric = await openFabric();
  // Each journal has the task and the checkpoint of its chain.
  expect(await send('prod', fabric)).toEqual({ sentCount: 4, refusedCount: 0, waitingCount: 0, problems: [] });
  expect(await send('prod', fabric)).toEqual({ sentCount: 0, refusedCount: 0, waitingCount: 0, problems: [] });
  expect(await taskCount(fabric)).toBe(2);
});

test('B8 what was put for one destination is never sent to another', async () => {
  await leaveOne('prod', 0);
  const fabric = await openFabric();
  expect(await send('staging', fabric)).toEqual({ sentCount: 0, refusedCount: 0, waitingCount: 0, problems: [] });
  expect(await taskCount(fabric)).toBe(0);
  expect(await listOutboxFolders(root, 'acme')).toEqual([folderFor('prod')]);
  expect(await listOutboxFolders(root, 'other')).toEqual([]);
});

test('S1 an outbox lies nowhere but under its root', async () => {
  const place = { workspace: 'acme', destination: 'prod', peer: 'ada' };
  expect(await codeOf((async () => outboxFolder(root, { ...place, peer: '..' }))())).toBe('invalid-subject');
  expect(await codeOf((async () => outboxFolder(root, { ...place, workspace: 'a/b' }))())).toBe('invalid-subject');
  expect(() => outboxFolder(root, { ...place, destination: '../x' })).toThrow(TypeError);
});
