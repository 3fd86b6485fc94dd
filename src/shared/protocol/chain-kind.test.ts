import { expect, test } from 'vitest';
import { chainKindOf } from './chain-kind.ts';
import { parseSubject } from './subject.ts';

test.each([
  ['vak.events.acme.s-e.tokens', 'e'],
  ['vak.events.acme.s-e.status', 'e'],
  ['vak.control.acme.rooms.create', 'e'],
  ['vak.rooms.acme.r.presence', 'e'],
  ['vak.work.acme.q.task', 'q'],
  ['vak.agent.acme.ada.inbox', 'q'],
  ['vak.receipts.acme.s-d.completed', 'd'],
  ['vak.approvals.acme.s-d.request', 'd'],
  ['vak.approvals.acme.s-d.verdict', 'd'],
  ['vak.dlq.acme.ada.failed', 'd'],
  ['vak.rooms.acme.r.log', 'd'],
  ['vak.rooms.acme.r.messages', 'd'],
  ['vak.keys.acme.ada.package', 'd'],
  ['vak.audit.acme.ada.action', 'd'],
  ['vak.audit.acme.ada.checkpoint', 'd'],
  ['vak.audit.acme.ada.void', 'd'],
] as const)('E12 %s goes out in the session of kind %s', (subject, kind) => {
  expect(chainKindOf(parseSubject(subject))).toBe(kind);
});
