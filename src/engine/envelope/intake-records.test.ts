import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  type TrustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { unpackMarks } from '../../shared/protocol/trust-marks.ts';
import type { HeldMessage } from '../feeds/message-buffer.ts';
import { createRowReader } from '../feeds/row-reader.ts';
import { createSubjectReader } from '../feeds/subject-reader.ts';
import { createTrustReporter } from './trust-reporter.ts';

const hash = 'a'.repeat(64);
const id = '0197a3c0-0000-7000-8000-000000000001';
const at = '2026-01-02T03:04:05Z';
const receipt = {
  ...{ taskId: id, taskLeaf: hash, queue: 'q', workerId: 'wilma', attempt: 1, outcome: 'done' },
  ...{ startedAt: at, endedAt: at, outputHash: hash },
};
const letter = {
  ...{ envelopeId: id, taskLeaf: hash, subject: 'vak.work.acme.q.task', queue: 'q', attempts: 4, history: [] },
  ...{ reason: 'r', errorClass: 'c', failedAt: at, workerId: 'wilma', envelope: { specversion: '1.0' } },
};
const purge = {
  ...{ operationId: 'o', action: 'queue.purge', target: 'q', scope: 'all', count: 1, outcome: 'begun' },
  places: [[1, 1]],
};

let acme: TrustedWorkspace;
let wilma: TrustedPeer;
beforeEach(() => {
  acme = createTrustedWorkspace();
  wilma = acme.peer('wilma', { kind: 'd' });
});

function take(peer: TrustedPeer, payload: object, subject: string): HeldMessage {
  const { data } = peer.write(payload, '', subject);
  acme.intake.take({ subject, data });
  return acme.buffer.get(acme.buffer.newestSeq) as HeldMessage;
}

const takeReceipt = (peer: TrustedPeer, payload: object): HeldMessage =>
  take(peer, payload, `vak.receipts.acme.${peer.session}.completed`);

describe('records that do not count are refused as they are looked at, with what is wrong', () => {
  it('W6 a receipt in another’s name, of another queue, or by who is no worker of it', () => {
    expect(acme.intake.admit(takeReceipt(wilma, receipt))).toMatchObject({ kind: 'accepted' });
    const carla = acme.peer('carla', { kind: 'd', roles: ['coordinator'] });
    const forged: [TrustedPeer, object, string][] = [
      [wilma, { ...receipt, workerId: 'walt' }, 'It speaks for walt, and is signed by wilma.'],
      [wilma, { ...receipt, queue: 'p' }, 'wilma is not granted worker of queue p.'],
      [carla, { ...receipt, workerId: 'carla' }, 'carla is not granted worker of queue q.'],
    ];
    for (const [peer, payload, why] of forged) {
      const held = takeReceipt(peer, payload);
      expect(acme.intake.admit(held), why).toEqual({ kind: 'refused', refusal: { reason: 'sender', why } });
    }
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 3, countByReason: { sender: 3 } });
  });

  it('W6 a receipt that is none, a task that nobody can read, an answer that decides nothing', () => {
    const carla = acme.peer('carla', { kind: 'q', roles: ['coordinator'] });
    const olga = acme.peer('olga', { kind: 'd', roles: ['operator'] });
    const said = [
      takeReceipt(wilma, { ...receipt, attempt: 0 }),
      take(carla, { command: [] }, 'vak.work.acme.q.task'),
      take(
        olga,
        { requestId: id, requestLeaf: hash, decision: 'maybe' },
        `vak.approvals.acme.${wilma.session}.verdict`,
      ),
      take(wilma, { ...letter, attempts: -1 }, 'vak.dlq.acme.wilma.failed'),
    ];
    for (const held of said) {
      expect(acme.intake.admit(held)).toMatchObject({ kind: 'refused', refusal: { reason: 'malformed' } });
    }
  });

  it('W4 a dead letter of who may not end that queue’s tasks; W7 a purge by no operator', () => {
    expect(acme.intake.admit(take(wilma, letter, 'vak.dlq.acme.wilma.failed'))).toMatchObject({ kind: 'accepted' });
    const foreign = take(wilma, { ...letter, queue: 'p' }, 'vak.dlq.acme.wilma.failed');
    expect(acme.intake.admit(foreign)).toMatchObject({
      ...{ kind: 'refused', refusal: { reason: 'sender', why: 'wilma may not end tasks of queue p.' } },
    });
    const sue = acme.peer('sue', { kind: 'd', roles: ['dlq-supervisor'] });
    const action = 'vak.audit.acme.sue.action';
    expect(acme.intake.admit(take(sue, { ...purge, action: 'dlq.note' }, action))).toMatchObject({ kind: 'accepted' });
    expect(acme.intake.admit(take(sue, purge, action))).toMatchObject({
      ...{ kind: 'refused', refusal: { reason: 'sender', why: 'sue is no operator, and may not purge a queue.' } },
    });
  });
});

it('W6 a forged receipt is marked and says why, in its row and in the inspector', () => {
  const held = takeReceipt(wilma, { ...receipt, queue: 'p' });
  const subjects = createSubjectReader();
  const { buffer, reader, intake, opener } = acme;
  const rows = createRowReader({ subjects, reader, intake, peerOf: () => null });
  // Who only scrolls by has checked nothing.
  expect(unpackMarks(rows.read(held, false).marks)).toMatchObject({ signature: 'unchecked', isRefused: false });
  const row = rows.read(held, true);
  expect(row).toMatchObject({ peer: 'wilma', preview: 'wilma is not granted worker of queue p.' });
  expect(unpackMarks(row.marks)).toMatchObject({ seal: 'opens', signature: 'valid', isRefused: true });
  expect(createTrustReporter({ buffer, reader, intake, opener }).report(held)).toMatchObject({
    ...{ signature: { kind: 'valid' }, marks: { isRefused: true } },
    refusal: { reason: 'sender', why: 'wilma is not granted worker of queue p.' },
  });
});

it('I4 who is granted the queue later is believed then, and a handler is told once', () => {
  const zoe = acme.peer('zoe', { kind: 'd', key: 77, roles: ['observer'] });
  const told: boolean[] = [];
  acme.intake.handle('vak.receipts.acme.*.completed', (held) => {
    told.push(acme.intake.admit(held).kind === 'accepted');
    return told.at(-1) === true;
  });
  const held = takeReceipt(zoe, { ...receipt, workerId: 'zoe' });
  expect(told).toEqual([false]);
  acme.grantElsewhere('zoe', { key: 77, roles: ['coordinator'] });
  acme.learn();
  acme.clock.runDeferred();
  // A coordinator may speak there, and is no worker.
  expect(held.trust.refusal).toMatchObject({ why: 'zoe is not granted worker of queue q.' });
  acme.grantElsewhere('zoe', { key: 77, roles: ['worker'] });
  acme.learn();
  acme.clock.runDeferred();
  expect(held.trust.refusal).toBeUndefined();
  expect(told.filter(Boolean)).toEqual([true]);
  expect(acme.quarantine.state().refusedCount).toBe(0);
});
