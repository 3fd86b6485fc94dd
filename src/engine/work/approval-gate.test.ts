import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrustedPeer } from '../../../tests/support/trusted-workspace.ts';
import { openWorkPlace, type WorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type Approval, approvalState, createApprovalBook } from './approval-book.ts';
import { type ApprovalAnswer, type ApprovalGate, createApprovalGate } from './approval-gate.ts';
import { draftVerdict, readApproval } from './approval-records.ts';
import { refusalOf } from './approval-refusal.ts';
import { openQueue } from './work-queue.ts';

const patience = { timeout: 15_000, interval: 10 };
const trace = startTrace(createSystemRandomness().bytes);
const taskId = '0197a3c0-0000-7000-8000-000000000001';

describe.each(workEngines)('on the engine %s', (engine) => {
  let place: WorkPlace;
  let gate: ApprovalGate;
  let refused: string[];
  /** Of the worker's clock. */
  let aheadMs: number;
  const queue = async () => {
    const { consumer } = await openQueue(place.fabric.durable, { workspace: 'acme', queue: 'own' });
    return await consumer.state();
  };
  let peers: Map<string, TrustedPeer>;

  beforeEach(async () => {
    place = await openWorkPlace(engine);
    const { peer } = await place.startWorker('wilma', { handler: () => Promise.reject(new Error('it has no tasks')) });
    refused = [];
    peers = new Map();
    aheadMs = 0;
    gate = createApprovalGate({
      ...{ ...place.ports, workspace: 'acme', peer: 'wilma', publisher: peer, durable: place.fabric.durable },
      ...{ bus: place.fabric.bus, judge: place.workspace.judge, onRefused: (why) => refused.push(why) },
      clock: { ...place.ports.clock, now: () => place.ports.clock.now() + aheadMs },
      engineMs: async () => (await queue()).lastActiveMs ?? undefined,
    });
  });
  afterEach(async () => {
    await place.close();
  });

  const ask = (title: string, more: { expiresInMs?: number; signal?: AbortSignal } = {}): Promise<ApprovalAnswer> =>
    gate.ask({
      ...{ title, detail: 'it deletes everything', command: ['rm', '-r', '/x'], taskId, trace },
      ...{ expiresInMs: 60_000, signal: new AbortController().signal, ...more },
    });

  /** The approvals as an operator reads them, once so many were asked for. */
  async function asked(count: number): Promise<readonly Approval[]> {
    let all: Approval[] = [];
    const read = async (): Promise<number> => {
      const book = createApprovalBook({ capacity: 100 });
      const { messages } = await place.fabric.durable.stream('VAK_APPROVALS_acme').read({ limit: 100 });
      for (const message of messages) {
        const record = readApproval(message, place.workspace.judge);
        if (record.kind === 'request') book.noteRequest(record.request);
        if (record.kind === 'verdict') book.noteVerdict(record.verdict);
      }
      all = [...book.all()];
      return all.length;
    };
    await expect.poll(read, patience).toBe(count);
    return all;
  }

  function write(name: string, approval: Approval, { decision = 'approve', roles = ['operator'], change = {} } = {}) {
    const peer = peers.get(name) ?? place.workspace.peer(name, { roles: roles as ['operator'], kind: 'd' });
    peers.set(name, peer);
    const answer = { decision: decision as 'approve', reason: 'because' };
    const { subject } = draftVerdict(approval.request, answer, { workspace: 'acme', trace });
    const { requestId, leaf } = approval.request;
    return peer.write({ requestId, requestLeaf: leaf, ...answer, ...change }, '', subject);
  }

  const append = ({ subject, data }: { subject: string; data: Uint8Array }) =>
    place.fabric.durable.append(subject, data);

  test.each([
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const)('W8 what an operator says (%s) is heard by who asked, with who said it', async (decision, kind) => {
    const answer = ask('may I?');
    const [approval] = (await asked(1)) as [Approval];
    expect(approval.request).toMatchObject({ title: 'may I?', peer: 'wilma', taskId, command: ['rm', '-r', '/x'] });
    expect(approvalState(approval, Date.now())).toBe('pending');
    await append(write('olga', approval, { decision }));
    expect(await answer).toEqual({ kind, by: 'olga', reason: 'because' });
    const [answered] = (await asked(1)) as [Approval];
    expect(approvalState(answered, Date.now())).toBe(kind);
    expect(refused).toEqual([]);
  });

  test('W8 a verdict for another request, of another content, of no operator, forged or unsigned is refused, and hides no true one', async () => {
    const answer = ask('one');
    const other = ask('two');
    const all = await asked(2);
    const [one, two] = ['one', 'two'].map((title) => all.find(({ request }) => request.title === title)) as [
      Approval,
      Approval,
    ];
    await append(write('w2', one, { roles: ['worker'] }));
    await append(write('olga', one, { change: { requestLeaf: two.request.leaf } }));
    await append(write('olga', one, { change: { requestId: two.request.requestId } }));
    const stranger = place.workspace.peer('stranger', { roles: ['operator'], kind: 'd', isGranted: false });
    const { subject } = write('olga', one);
    await append(
      stranger.write(
        { requestId: one.request.requestId, requestLeaf: one.request.leaf, decision: 'approve' },
        '',
        subject,
      ),
    );
    await append(write('olga', one, { decision: 'deny' }));
    expect(await answer).toMatchObject({ kind: 'denied', by: 'olga' });
    expect(refused.length).toBeGreaterThanOrEqual(3);
    await append(write('olga', two));
    expect(await other).toMatchObject({ kind: 'approved' });
  });

  test('W8 a verdict is of use once: replayed for the next request of the same words it counts for nothing', async () => {
    const first = ask('again?');
    const [approval] = (await asked(1)) as [Approval];
    const verdict = write('olga', approval);
    await append(verdict);
    expect(await first).toMatchObject({ kind: 'approved' });
    const abort = new AbortController();
    const second = ask('again?', { signal: abort.signal });
    await asked(2);
    await append(verdict);
    await append({ ...verdict });
    abort.abort();
    expect(await second).toEqual({ kind: 'aborted' });
  });

  test('W8 nobody who answers in time is a no, and the first answer decides', async () => {
    expect(await ask('now?', { expiresInMs: 1 })).toEqual({ kind: 'expired' });
    const answer = ask('then?');
    const approval = (await asked(2)).find(({ request }) => request.title === 'then?') as Approval;
    await append(write('olga', approval, { decision: 'deny' }));
    await append(write('oskar', approval));
    expect(await answer).toMatchObject({ kind: 'denied', by: 'olga' });
    const late = (await asked(2)).find(({ request }) => request.title === 'now?') as Approval;
    await append(write('olga', late));
    const after = (await asked(2)).find(({ request }) => request.title === 'now?') as Approval;
    expect(approvalState(after, Date.now())).toBe('expired');
  });

  test('W8 a worker whose clock is behind is told so, for nobody could answer it; what it asked counts for nothing', async () => {
    const { consumer } = await openQueue(place.fabric.durable, { workspace: 'acme', queue: 'own' });
    await place.fabric.durable.append('vak.work.acme.own.task', utf8('a task'));
    await consumer.pull({ batch: 1, waitMs: 5_000 });
    aheadMs = -3_600_000;
    const answer = await ask('may I?');
    expect(answer).toMatchObject({ kind: 'clock-behind' });
    expect(refusalOf(answer)).toMatchObject({
      ...{ errorClass: 'clock-behind', isFinal: false },
      reason: expect.stringMatching(/^the clock of this worker is (60|59\.9) min behind that of the engine/),
    });
    const { messages } = await place.fabric.durable.stream('VAK_APPROVALS_acme').read({ limit: 10 });
    expect(messages.map((message) => readApproval(message, place.workspace.judge))).toMatchObject([
      {
        kind: 'invalid',
        why: expect.stringMatching(/^It had expired .* before it was stored.*the clock of wilma is behind/),
      },
    ]);
    aheadMs = 3_600_000;
    const abort = new AbortController();
    const pending = ask('may I?', { signal: abort.signal });
    await asked(1);
    abort.abort();
    expect(await pending).toEqual({ kind: 'aborted' });
  });
});
