import { expect, it } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { DeniedAccess } from './denial-teller.ts';
import { createServerDenials, explainServerDenial, type ServerDenialsDeps } from './server-denials.ts';

const worker = { roles: ['worker'], queues: ['q'] } as const;
const holder = { workspace: 'ws', peer: 'w1', ...worker };

function open(granted: ServerDenialsDeps['granted']) {
  const told: DeniedAccess[] = [];
  const clock = createFakeClock(1_000);
  const note = createServerDenials({
    ...{ workspace: 'ws', peer: 'w1', clock, logger: createSilentLogger(), granted },
    onDenied: (one) => told.push(one),
  });
  return { note, told };
}

it('A4 what a server refused is told as what was tried, by whom, by which rule and on which side', () => {
  const { note, told } = open(() => worker);
  note({ operation: 'publish', subject: 'vak.work.ws.q.task' });
  expect(told).toEqual([
    {
      ...{ peer: 'w1', action: 'publish', subject: 'vak.work.ws.q.task', rule: 'worker: deny work.>' },
      ...{ side: 'server', atMs: 1_000, untoldCount: 0 },
    },
  ]);
});

it.for([
  ['publish', 'vak.approvals.ws.s.verdict', 'A1 default deny'],
  ['subscribe', 'vak.approvals.ws.>', 'A1 default deny'],
  ['subscribe', 'vak.events.other.>', 'A1 deny other workspaces'],
  ['publish', '$JS.API.STREAM.MSG.GET.VAK_WORK_ws', 'A1 default deny (read stream.VAK_WORK_ws)'],
  ['subscribe', '_INBOX.>', 'A13 its own inbox alone, _INBOX.ws.w1.>'],
  ['publish', undefined, 'A4 the server did not say what it refused'],
  ['publish', 'vak.nonsense', 'A13 no role of it needs this of a server'],
] as const)('A5 a server that refuses to %s %s goes by %s', ([operation, subject, rule]) => {
  expect(explainServerDenial(holder, { operation, subject })).toBe(rule);
});

it.for([
  ['publish', 'vak.dlq.ws.w1.failed', /^worker: publish own dead letters: the grant allows it: .*export anew/],
  ['publish', '$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_ws.queue-q', /^worker: pull tasks of its queue: the grant allows it/],
  ['subscribe', '_INBOX.ws.w1.x', /^A13 _INBOX\.ws\.w1\.>: the grant allows it/],
] as const)('A5 a server that refuses to %s %s knows another grant', ([operation, subject, rule]) => {
  expect(explainServerDenial(holder, { operation, subject })).toMatch(rule);
});

it('A4 of whom nothing is known it is told all the same, and hostile text is not shown as it is', () => {
  const { note, told } = open(() => undefined);
  note({ operation: 'publish', subject: `vak.\u202e${'x'.repeat(400)}` });
  expect(told[0]?.rule).toMatch(/not known here/);
  expect(told[0]?.subject).toMatch(/^vak\.\?x{251}$/);
});

it('A13 A20 that the list of all streams is refused is no incident: its own ones are asked for instead', () => {
  const { note, told } = open(() => worker);
  note({ operation: 'publish', subject: '$JS.API.STREAM.LIST' });
  expect(told).toEqual([]);
});
