import { describe, expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { createEnvelopeReader } from './envelope-reader.ts';
import { judgeLink, judgeReceived } from './receive-policy.ts';

const strict = { workspace: 'acme', policy: { acceptPlain: false, acceptUnsigned: false } };
const reader = createEnvelopeReader();

/** Judges w1's sealed and signed envelope, changed; only its form is looked at here. */
function judge(subject: string, change: Partial<Envelope> = {}, place = strict): string | undefined {
  const acme = createTrustedWorkspace();
  const envelope = decodeEnvelope(acme.peer('w1').write({ state: 'done' }).data);
  const type =
    subject.split('.').length === 5 ? `vak.${subject.split('.')[1]}.${subject.split('.')[4]}` : envelope.type;
  const data = encodeEnvelope({ ...envelope, subject, type, ...change });
  const refusal = judgeReceived({ subject, reading: reader.read(data) }, place);
  return refusal && `${refusal.reason}: ${refusal.why}`;
}

describe('A4 sender, session and subject fit together', () => {
  it.each([
    ['vak.events.acme.w1-1-e.status', undefined],
    ['vak.receipts.acme.w1-1-e.completed', undefined],
    ['vak.approvals.acme.w1-1-e.request', undefined],
    // A verdict stands in the session that asked.
    ['vak.approvals.acme.w9-1-e.verdict', undefined],
    ['vak.dlq.acme.w1.failed', undefined],
    ['vak.audit.acme.w1.action', undefined],
    ['vak.agent.acme.w9.inbox', undefined],
    ['vak.work.acme.builds.task', undefined],
    ['vak.events.acme.w9-1-e.status', 'misplaced'],
    ['vak.receipts.acme.w9-1-e.completed', 'misplaced'],
    ['vak.approvals.acme.w9-1-e.request', 'misplaced'],
    ['vak.dlq.acme.w9.failed', 'misplaced'],
    ['vak.audit.acme.w9.action', 'misplaced'],
    ['vak.audit.acme.w9.checkpoint', 'misplaced'],
    ['vak.events.other.w1-1-e.status', 'misplaced'],
    ['vak.work.other.builds.task', 'misplaced'],
    ['some.foreign.subject', 'misplaced'],
  ])('on %s: %s', (subject, reason) => {
    expect(judge(subject)?.split(':')[0]).toBe(reason);
  });

  it.each([
    ['workspaceid', { workspaceid: 'other', source: 'vak://other/w1/w1-1-e' }],
    ['agentid', { agentid: 'w9' }],
    ['sessionid', { sessionid: 'w9-1-e' }],
    ['source', { source: 'vak://acme/w9/w1-1-e' }],
    ['source', { source: 'https://example.com/foreign' }],
    ['subject', { subject: 'vak.events.acme.w1-1-e.tokens' }],
    ['type', { type: 'vak.events.tokens' }],
  ])('refuses another %s', (_, change) => {
    expect(judge('vak.events.acme.w1-1-e.status', change)).toMatch(/^misplaced: /);
  });
});

it.each([
  ['vak.events.acme.w1-1-e.status', 'plain'],
  ['vak.agent.acme.w9.inbox', 'plain'],
  ['vak.audit.acme.w1.action', 'plain'],
  ['vak.audit.acme.w1.checkpoint', undefined],
  ['vak.audit.acme.w1.void', undefined],
  ['vak.rooms.acme.r1.messages', undefined],
  ['vak.keys.acme.w9.package', undefined],
  ['vak.control.acme.w9.run', undefined],
])('E8 plain on %s is %s, by its subject', (subject, reason) => {
  expect(judge(subject, { seal: undefined })?.split(':')[0]).toBe(reason);
});

it('E8 what is exempt from sealing is not exempt from signing', () => {
  expect(judge('vak.control.acme.w9.run', { seal: undefined, signed: undefined })).toMatch(/^unsigned: /);
  const lax = { workspace: 'acme', policy: { acceptPlain: true, acceptUnsigned: true } };
  expect(judge('vak.events.acme.w1-1-e.status', { seal: undefined, signed: undefined }, lax)).toBeUndefined();
});

it('E2 E5 what is no envelope is malformed, with what is wrong first', () => {
  const refusal = judgeReceived(
    { subject: 'vak.events.acme.w1-1-e.status', reading: reader.read(utf8('{"id":1}')) },
    strict,
  );
  expect(refusal).toEqual({ reason: 'malformed', why: 'It is no envelope: id: expected a string, got number.' });
});

it('E11 loss is no reason to refuse; every other break of a chain is', () => {
  expect(judgeLink(undefined)).toBeUndefined();
  expect(judgeLink({ kind: 'ok' })).toBeUndefined();
  expect(judgeLink({ kind: 'gap', from: 1, to: 2 })).toBeUndefined();
  expect(judgeLink({ kind: 'void', seq: 1 })).toBeUndefined();
  for (const kind of ['fork', 'reordered', 'forged-payload', 'forged-link', 'foreign-source'] as const)
    expect(judgeLink({ kind })?.reason).toBe('chain');
});
