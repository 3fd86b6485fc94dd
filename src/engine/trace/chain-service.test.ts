import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../../../tests/support/identity-fixture.ts';
import type { TrustedPeer } from '../../../tests/support/trusted-workspace.ts';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { ChainReport } from '../../shared/contract/chain-report.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import { createTraceService, type TraceCalls } from './trace-service.ts';

let place: WatchedPlace;
let folder: string;
let olga: TrustedPeer;
let heads: ReturnType<typeof createMemoryHeadStore>;
let service: TraceCalls;
const source = 'vak://acme/olga/olga-1-d';
const action = { operationId: 'o1', action: 'archive', target: 't', scope: 's', count: 1, outcome: 'done' };

beforeEach(async () => {
  place = await openWatchedPlace();
  folder = mkdtempSync(join(tmpdir(), 'vak-chain-'));
  olga = place.peer('olga', 'operator');
  heads = createMemoryHeadStore();
  const { workspace, fabric, clock } = place;
  const { buffer, reader, judge, judging, grants } = workspace;
  const path = join(folder, 'proof.json');
  const prompt = { chooseSaveFile: () => Promise.resolve(path), chooseOpenFile: () => Promise.resolve(path) };
  service = createTraceService({
    ...{ workspace: 'acme', durable: fabric.durable, buffer, reader, judge, clock, prompt, grants },
    ...{ checkSignature: judging.checkSignature, rootOf: () => root.nkey },
  });
});
afterEach(async () => {
  await place.close();
  rmSync(folder, { recursive: true });
});

/** A session of olga; one that has the heads of another goes on after it. */
function author(session = 'olga-1-d', of = heads): EnvelopeAuthor {
  const { clock, randomness } = place.workspace;
  const { sealer, signer } = olga;
  const own = { workspace: 'acme', peer: 'olga', session, kind: 'd', clock, randomness } as const;
  return createEnvelopeAuthor({ ...own, heads: of, sealer, signer });
}

function write(by: EnvelopeAuthor, verb: string, payload: object) {
  let data = new Uint8Array();
  const subject = `vak.audit.acme.olga.${verb}`;
  const trace = startTrace(place.workspace.randomness.bytes);
  const envelope = by.publish({ subject, payload: utf8(JSON.stringify(payload)), trace }, (bytes) => {
    data = Uint8Array.from(bytes);
  });
  const read = place.workspace.reader.read(data);
  return { subject, data, envelope, leaf: read.kind === 'envelope' ? read.leaf : '' };
}

type Written = ReturnType<typeof write>;
const store = ({ subject, data }: Written) => place.store(subject, data);
const checkpointOf = ({ envelope: { source: of, seqnum: seq, time: at }, leaf: head }: Written) => {
  return { source: of, seq, head, at };
};

async function during<T>(asked: T | Promise<T>): Promise<T> {
  let isOver = false;
  const work = Promise.resolve(asked);
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) await place.settle();
  return await work;
}
const options = { signal: new AbortController().signal };
const look = (of = source): Promise<ChainReport> => during(service.chain({ source: of }, options));

test('T7 a chain that holds is one verified run to its head, and its checkpoint matches', async () => {
  const by = author();
  for (let n = 0; n < 3; n++) await store(write(by, 'action', action));
  const last = write(by, 'action', action);
  await store(last);
  await store(write(by, 'checkpoint', checkpointOf(last)));
  const report = await look();
  expect(report).toMatchObject({
    ...{ count: 5, seen: { fromSeq: 0, toSeq: 4 }, verified: [{ fromSeq: 0, toSeq: 4 }], verifiedCount: 5 },
    ...{ faults: [], forks: [], missing: [], voids: [], refused: [], resumes: null, resumedBy: [], isCut: false },
    ...{ peer: 'olga', session: 'olga-1-d', kind: 'd' },
    checkpoints: [{ seq: 3, head: last.leaf, state: 'matches', peer: 'olga', signer: olga.signer.nkey, why: null }],
  });
  expect(report.searches.map(({ stream }) => stream)).toContain('CHAIN');
});

test('T7 the first bad link is told with the hash that was expected and the one that was found, and forks with both sides', async () => {
  const [by, rival] = [author(), author('olga-1-d', createMemoryHeadStore())];
  const [first, second, third] = [0, 1, 2].map(() => write(by, 'action', action)) as [Written, Written, Written];
  const others = [0, 1, 2].map(() => write(rival, 'action', action)) as [Written, Written, Written];
  for (const one of [first, second, others[1], others[2]]) await store(one);
  const forked = await look();
  expect(forked.forks).toMatchObject([{ seq: 1, sides: [{ leaf: second.leaf }, { leaf: others[1].leaf }] }]);
  // The rival's second place names a beginning that is not here.
  expect(forked.faults).toMatchObject([
    { kind: 'link', seq: 1, expected: first.leaf, found: others[0].leaf, id: others[1].envelope.id },
  ]);
  expect(forked.verified).toEqual([
    { fromSeq: 0, toSeq: 0 },
    { fromSeq: 2, toSeq: 2 },
  ]);
  await store(third);
  expect((await look()).forks.map(({ seq }) => seq)).toEqual([1, 2]);
});

test('T7 what is missing is told by places, also a tail that a checkpoint names; what was declared void is not missing', async () => {
  const by = author();
  const all = Array.from({ length: 7 }, () => write(by, 'action', action));
  const voided = all[4] as Written;
  const elsewhere = author('olga-2-d', createMemoryHeadStore());
  await store(write(elsewhere, 'void', { source, seq: 4, leaf: voided.leaf, reason: 'refused \u202efor good' }));
  await store(write(elsewhere, 'checkpoint', checkpointOf(all[6] as Written)));
  for (const seq of [0, 3, 5]) await store(all[seq] as Written);
  expect(await look()).toMatchObject({
    missing: [
      { fromSeq: 1, toSeq: 2, isTail: false },
      { fromSeq: 6, toSeq: 6, isTail: true },
    ],
    ...{ missingCount: 3, faults: [], checkpoints: [{ seq: 6, state: 'unseen' }] },
    voids: [{ seq: 4, leaf: voided.leaf, reason: 'refused ‹U+202E›for good' }],
  });
});

test('T7 a payload that was changed is told with both hashes; a forgery without the key accuses nobody', async () => {
  const by = author();
  const [first, second] = [write(by, 'action', action), write(by, 'action', action)];
  await store(first);
  const other = write(author('olga-9-d', createMemoryHeadStore()), 'action', { ...action, count: 2 });
  const text = toText(second.data);
  const payload = (JSON.parse(toText(other.data)) as { data_base64: string }).data_base64;
  const changed = JSON.stringify({ ...(JSON.parse(text) as object), data_base64: payload });
  await place.store(second.subject, utf8(changed));
  const forged = JSON.stringify({ ...(JSON.parse(text) as object), id: first.envelope.id });
  await place.store(second.subject, utf8(forged));
  const report = await look();
  expect(report.faults).toMatchObject([{ kind: 'payload', seq: 1, expected: second.envelope.payloadhash }]);
  expect(report.forks).toEqual([]);
  expect(report.refused).toMatchObject([{ seq: 1, id: first.envelope.id, why: expect.stringContaining('signature') }]);
});

test('T8 a restart names the chain before it, and what is here at that place', async () => {
  const before = author();
  const last = write(before, 'action', action);
  const second = author('olga-2-d');
  const begun = write(second, 'action', action);
  const [next, to] = [{ source: 'vak://acme/olga/olga-2-d', seq: 0, leaf: last.leaf }, 'vak://acme/olga/olga-2-d'];
  await store(begun);
  expect((await look(to)).resumes).toEqual({ source, seq: 0, leaf: last.leaf, state: 'unseen' });
  expect((await look()).resumedBy).toEqual([{ ...next, state: 'unseen' }]);
  const rival = write(author('olga-1-d', createMemoryHeadStore()), 'action', { ...action, count: 9 });
  await store(rival);
  expect((await look(to)).resumes?.state).toBe('other');
  await store(last);
  expect((await look(to)).resumes?.state).toBe('matches');
  expect((await look()).resumedBy).toEqual([{ ...next, state: 'matches' }]);
});

test('T9 a proof is written and holds when it is checked; what is lacking is said, and what was changed does not hold', async () => {
  const by = author();
  const [first, second] = [write(by, 'action', action), write(by, 'action', action)];
  for (const one of [first, second]) await store(one);
  const prove = () => during(service.prove({ source, seq: 0 }, options));
  await expect(prove()).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('no checkpoint') });
  await store(write(by, 'checkpoint', checkpointOf(second)));
  expect(await prove()).toEqual({ path: join(folder, 'proof.json'), fromSeq: 0, toSeq: 1 });
  const check = () => service.checkProof({}, options);
  expect(await check()).toEqual({
    ...{ name: 'proof.json', isOk: true, source, range: { fromSeq: 0, toSeq: 1 }, signature: 'valid', errors: [] },
  });
  const path = join(folder, 'proof.json');
  const proof = JSON.parse(readFileSync(path, 'utf8')) as { leaves: string[] };
  writeFileSync(path, JSON.stringify({ ...proof, leaves: proof.leaves.toReversed() }));
  expect(await check()).toMatchObject({ isOk: false, errors: [expect.stringContaining('do not follow each other')] });
  writeFileSync(path, '{"kind":"letter"}');
  await expect(check()).rejects.toMatchObject({ code: 'invalid-input' });
});

test('E14 what is claimed is proven by a checkpoint in the chain of the rest', async () => {
  const [carla, rest] = [place.peer('carla', 'coordinator', 'q'), place.peer('carla', 'coordinator', 'd')];
  const task = carla.write({ command: ['true'] }, '', 'vak.work.acme.q.task');
  await place.store('vak.work.acme.q.task', task.data);
  const read = place.workspace.reader.read(task.data);
  const head = read.kind === 'envelope' ? read.leaf : '';
  const { source: of, seqnum: seq, time: at } = task.envelope;
  await place.append(rest, { source: of, seq, head, at }, 'vak.audit.acme.carla.checkpoint');
  await during(service.prove({ source: of, seq: 0 }, options));
  expect(await service.checkProof({}, options)).toMatchObject({ isOk: true, source: of });
});

test('T6 each source of which something lies in the streams is there, the newest first', async () => {
  await store(write(author(), 'action', action));
  await place.pass(1_000);
  await place.submit();
  await place.submit();
  const { sources, searches } = await during(service.sources({}, options));
  expect(sources.map(({ peer, kind, count }) => [peer, kind, count])).toEqual([
    ['carla', 'q', 2],
    ['olga', 'd', 1],
  ]);
  expect(searches.every(({ isWhole }) => isWhole)).toBe(true);
});
