import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  allowedCalls,
  callsIn,
  consumerOf,
  furnish,
  isForbidden,
  namesIn,
} from '../../../tests/support/access-calls.ts';
import { failure, refusal } from '../../../tests/support/expected-failure.ts';
import { createFabricFixture } from '../../../tests/support/fabric-fixture.ts';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { connectForTest } from '../../../tests/support/vak-bus.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { roles } from '../../shared/protocol/roles.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { keyValuesOf, provision } from '../bus/provision.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { DeniedAccess } from './denial-teller.ts';
import { createPermit, type PermitOptions } from './permit.ts';
import { createPermittedBus } from './permitted-bus.ts';
import { createPermittedPlane } from './permitted-plane.ts';

const fixture = createFabricFixture();
let server: NatsServer;
let fabrics: Record<'embedded' | 'nats', Fabric>;
beforeAll(async () => {
  server = await startNatsServer();
  fabrics = { embedded: await fixture.open(), nats: await connectForTest(server.url) };
});
afterAll(async () => {
  await fabrics.nats.close();
  await server.stop();
  await fixture.end();
});

let workspaces = 0;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Makes a workspace, until the test ends: a server has room for a few. */
async function provisioned(engine: 'embedded' | 'nats', workspace: string): Promise<void> {
  const { durable } = fabrics[engine];
  for (const { name } of streamsOf(workspace)) ends.push(() => durable.deleteStream(name));
  await provision(durable, workspace);
}

/** A workspace of its own with something in it, and what the peer `me` may do there. */
async function open(engine: 'embedded' | 'nats', rights: Partial<PermitOptions>) {
  const { bus, durable } = fabrics[engine];
  const workspace = `ws${++workspaces}`;
  await provisioned(engine, workspace);
  await furnish(durable, workspace);
  const denied: DeniedAccess[] = [];
  const permit = createPermit({
    ...{ workspace, peer: 'me', roles: [], sessions: ['mine'], queues: ['q'] },
    ...{ clock: createFakeClock(), logger: createSilentLogger(), onDenied: (one) => denied.push(one) },
    ...rights,
  });
  const own = { bus: createPermittedBus(bus, permit), durable: createPermittedPlane(durable, permit) };
  return { ...own, ...namesIn(workspace), workspace, permit, denied, engine: { bus, durable } };
}

const worker = { roles: ['worker'] } as const;

describe.each(['embedded', 'nats'] as const)('access on the engine: %s', (engine) => {
  it.each(roles)(
    'A4 %s: of every call exactly what its row allows reaches the engine, the rest is told',
    async (role) => {
      const { bus, durable, workspace, denied } = await open(engine, { roles: [role] });
      const allowed: string[] = [];
      let refusedCount = 0;
      for (const [name, call] of callsIn(workspace)) {
        if (await isForbidden(call, { bus, durable })) refusedCount++;
        else allowed.push(name);
      }
      expect(allowed.toSorted()).toEqual([...new Set(allowedCalls[role])].toSorted());
      // The fake clock stands: so many are told one by one.
      expect(denied).toHaveLength(Math.min(32, refusedCount));
    },
  );

  it('A3 a worker cannot publish a task or a verdict, nor subscribe approvals.> or the inbox of another', async () => {
    const { bus, durable, workspace, task, verdict, inbox } = await open(engine, worker);
    expect(refusal(() => bus.publish(task('q'), utf8('x')), 'forbidden').details).toEqual({
      ...{ action: 'publish', subject: task('q'), peer: 'me', rule: 'worker: deny work.>' },
      ...{ roles: 'worker', side: 'engine' },
    });
    const append = await failure(durable.append(verdict('mine'), utf8('x')));
    expect(append).toMatchObject({ code: 'forbidden', details: { action: 'append', rule: 'A1 default deny' } });
    for (const pattern of [`vak.approvals.${workspace}.>`, inbox('other'), `vak.agent.${workspace}.*.inbox`]) {
      const { details } = refusal(() => bus.subscribe(pattern, { kind: 'inline', onMessage: () => {} }), 'forbidden');
      expect(details).toMatchObject({ action: 'subscribe', subject: pattern, rule: 'A1 default deny' });
    }
  });

  it('A4 a worker claims the tasks of its queue and ends them, and claims those of no other', async () => {
    const { durable, stream, task, engine: raw } = await open(engine, worker);
    const work = durable.stream(stream('WORK'));
    const consumer = await work.ensureConsumer(consumerOf('queue-q', task('q')));
    const [claimed] = await consumer.pull({ batch: 10, waitMs: 2_000 });
    expect(claimed?.message.subject).toBe(task('q'));
    await claimed?.ack();
    expect((await consumer.state()).inFlightCount).toBe(0);
    const other = work.consumer('queue-other');
    expect(await failure(other.pull({ batch: 1, waitMs: 0 }))).toMatchObject({
      code: 'forbidden',
      details: { action: 'pull', subject: `consumer.${stream('WORK')}.queue-other`, rule: 'A1 default deny' },
    });
    // It was not claimed for a moment either.
    const state = await raw.durable.stream(stream('WORK')).consumer('queue-other').state();
    expect([state.pendingCount, state.inFlightCount]).toEqual([1, 0]);
  });

  it('A4 what a consumer delivers beyond its name is given back and never given out', async () => {
    const { durable, stream, inbox, workspace, engine: raw } = await open(engine, worker);
    const inboxes = raw.durable.stream(stream('INBOX'));
    await inboxes.deleteConsumer('inbox-me');
    await inboxes.ensureConsumer(consumerOf('inbox-me', `vak.agent.${workspace}.*.inbox`));
    for (const peer of ['me', 'other']) await raw.durable.append(inbox(peer), utf8(peer));
    const pulled = durable.stream(stream('INBOX')).consumer('inbox-me').pull({ batch: 10, waitMs: 2_000 });
    expect(await failure(pulled)).toMatchObject({ code: 'forbidden', details: { action: 'pull' } });
    const again = await inboxes.consumer('inbox-me').pull({ batch: 10, waitMs: 2_000 });
    const found = again.map(({ message, deliveryCount }) => [message.subject, deliveryCount]);
    expect(found).toContainEqual([inbox('me'), 2]);
    expect(found).toContainEqual([inbox('other'), 2]);
  });

  it("A4 by sequence a worker gets its queue's tasks, and of others not even whether they are there", async () => {
    const { durable, stream } = await open(engine, worker);
    const work = durable.stream(stream('WORK'));
    expect((await work.get(1))?.seq).toBe(1);
    expect(await failure(work.get(2))).toMatchObject({
      code: 'forbidden',
      details: { action: 'read', subject: `stream.${stream('WORK')}.2`, rule: 'A1 default deny' },
    });
    expect(await failure(durable.stream(stream('KEYS')).get(9))).toMatchObject({ code: 'forbidden' });
    expect(await work.get(9)).toBeUndefined();
  });

  it('A9 a peer reads back what nobody but itself publishes, in each of its sessions', async () => {
    const { durable, stream, receipt, permit } = await open(engine, worker);
    const receipts = durable.stream(stream('RECEIPTS'));
    const read = (session: string) => receipts.read({ subject: receipt(session), limit: 5 });
    expect((await read('mine')).messages.map(({ subject }) => subject)).toEqual([receipt('mine')]);
    expect(await failure(read('other'))).toMatchObject({ code: 'forbidden' });
    permit.addSession('other');
    expect((await read('other')).messages).toHaveLength(1);
    expect((await receipts.last(receipt('other')))?.subject).toBe(receipt('other'));
  });

  it('W3 what stands in the way of its own message under the same id may be looked at, and nothing else', async () => {
    const { durable, stream, deadLetter, engine: raw } = await open(engine, worker);
    const squatter = await raw.durable.append(deadLetter('other'), utf8('squat'), { messageId: 'dlq:leaf' });
    const letters = durable.stream(stream('DLQ'));
    expect(await failure(letters.get(squatter.seq))).toMatchObject({ code: 'forbidden' });
    const appended = await durable.append(deadLetter('me'), utf8('mine'), { messageId: 'dlq:leaf' });
    expect(appended).toEqual({ ...squatter, isDuplicate: true });
    expect(toText((await letters.get(squatter.seq))?.data ?? utf8(''))).toBe('squat');
    expect(await failure(letters.get(squatter.seq - 1))).toMatchObject({ code: 'forbidden' });
  });

  it('A4 streams and consumers that a peer has no part in are not named to it, nor any of another workspace', async () => {
    const { durable, stream, workspace } = await open(engine, worker);
    await provisioned(engine, `${workspace}x`);
    const kinds = ['WORK', 'INBOX', 'RECEIPTS', 'APPROVALS', 'DLQ', 'CHAIN'];
    expect((await durable.streams()).map(({ spec }) => spec.name).toSorted()).toEqual(kinds.map(stream).toSorted());
    const consumers = await durable.stream(stream('WORK')).consumers();
    expect(consumers.map(({ spec }) => spec.name)).toEqual(['queue-q']);
    const operator = await open(engine, { roles: [...roles] });
    const foreign = operator.durable.stream(`VAK_WORK_${workspace}`);
    const calls = [foreign.state(), foreign.get(1), foreign.read({ limit: 1 }), foreign.purge(), foreign.delete(1)];
    for (const call of calls) expect(await failure(call)).toMatchObject({ code: 'forbidden' });
    const values = operator.durable.keyValue(`VAK_CARDS_${workspace}`);
    const media = operator.durable.objects(mediaBucket(workspace, 'me'));
    for (const call of [values.keys(), values.put('me', utf8('x')), media.list()])
      expect(await failure(call)).toMatchObject({
        ...{ code: 'forbidden', details: { rule: 'A1 deny what is not of the workspace' } },
      });
  });

  it('A10 a provisioner makes the streams of the table with the subjects of the table alone', async () => {
    const { durable, workspace } = await open(engine, { roles: ['provisioner'] });
    expect((await provision(durable, workspace)).every(({ outcome }) => outcome === 'unchanged')).toBe(true);
    const [spec] = streamsOf(workspace);
    if (spec === undefined) throw new Error('there is no stream');
    for (const subjects of [[...spec.subjects, 'vak.work.elsewhere.*.task'], ['vak.work.*.*.task']]) {
      expect(await failure(durable.ensureStream({ ...spec, subjects }))).toMatchObject({ code: 'forbidden' });
    }
    expect(await failure(durable.ensureStream({ ...spec, name: 'VAK_OTHER' }))).toMatchObject({ code: 'forbidden' });
  });

  it('A10 a dry run takes no more than to see the figures', async () => {
    const { durable, workspace } = await open(engine, { roles: ['operator'] });
    const [spec] = streamsOf(workspace);
    const [bucket] = keyValuesOf(workspace);
    if (spec === undefined || bucket === undefined) throw new Error('there is no stream');
    expect(await durable.ensureStream(spec, { dryRun: true })).toBe('unchanged');
    expect(await failure(durable.ensureStream(spec))).toMatchObject({ code: 'forbidden' });
    expect(await failure(durable.ensureKeyValue(bucket))).toMatchObject({ code: 'forbidden' });
  });

  it("A4 grants are written by the root's holder, whatever its roles", async () => {
    const { durable, workspace } = await open(engine, { roles: ['human'], holdsRoot: true });
    const grants = durable.keyValue(`VAK_GRANTS_${workspace}`);
    await grants.put('me', utf8('grant'));
    expect(toText((await grants.get('me'))?.value ?? utf8(''))).toBe('grant');
    expect(await failure(durable.keyValue(`VAK_STATE_${workspace}`).put('a', utf8('x')))).toMatchObject({
      code: 'forbidden',
    });
  });

  it('A1 without a role nothing is allowed', async () => {
    const { bus, durable, workspace } = await open(engine, { roles: [] });
    for (const [name, call] of callsIn(workspace)) {
      expect([name, await isForbidden(call, { bus, durable })]).toEqual([name, true]);
    }
    expect(await durable.streams()).toEqual([]);
  });
});
