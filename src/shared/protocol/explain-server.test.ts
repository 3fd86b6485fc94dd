import { expect, it } from 'vitest';
import { checkServerSubject, explainServer, isServerSubject } from './explain-server.ts';

const worker = { workspace: 'ws', peer: 'w1', roles: ['worker'], queues: ['q'] } as const;
const operator = { workspace: 'ws', peer: 'ada', roles: ['operator'], queues: [], holdsRoot: true } as const;

it.for([
  ['publish', '$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_ws.queue-q', 'worker: pull tasks of its queue'],
  ['publish', '$JS.ACK.VAK_WORK_ws.queue-q.1.2.3.4.5', 'worker: pull tasks of its queue'],
  ['publish', '$KV.VAK_CARDS_ws.w1', 'every role: write own card'],
  ['publish', '$JS.API.DIRECT.GET.KV_VAK_STATE_ws.$KV.VAK_STATE_ws.queue.q', 'every role: read states'],
  ['subscribe', '_INBOX.ws.w1.>', 'A13 _INBOX.ws.w1.>'],
] as const)('A5 A13 a server lets a worker %s %s by %s', ([action, subject, rule]) => {
  expect(explainServer(worker, action, subject)).toEqual({ allowed: true, rule });
});

it.for([
  ['publish', '$JS.API.STREAM.PURGE.VAK_WORK_ws', 'A1 default deny (purge stream.VAK_WORK_ws)'],
  ['publish', '$JS.API.STREAM.UPDATE.KV_VAK_CARDS_ws', 'A1 default deny (make values.VAK_CARDS_ws)'],
  ['publish', '$JS.API.STREAM.INFO.OBJ_VAK_MEDIA_2_ws_ada', /\(read media\.ada\)$/],
  ['publish', '$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_ws.queue-other', /\(pull consumer\.VAK_WORK_ws\.queue-other\)$/],
  [
    'publish',
    '$JS.API.CONSUMER.CREATE.VAK_WORK_ws.queue-q.vak.work.ws.q.task',
    'A35 whoever administers makes it at a server, as vak provision does (make consumer.VAK_WORK_ws.queue-q)',
  ],
  ['publish', '$KV.VAK_CARDS_ws.ada', 'A1 default deny (write values.VAK_CARDS_ws.ada)'],
  ['publish', '$KV.VAK_CARDS_other.w1', /^A1 deny what is not of the workspace/],
  ['publish', '$JS.API.STREAM.NAMES', 'A13 no role of it needs this of a server'],
  ['publish', '$SYS.REQ.SERVER.PING', 'A13 no role of it needs this of a server'],
  ['subscribe', '_INBOX.>', 'A13 its own inbox alone, _INBOX.ws.w1.>'],
  ['subscribe', '_INBOX.ws.ada.>', 'A13 its own inbox alone, _INBOX.ws.w1.>'],
] as const)('A5 A13 a server refuses a worker to %s %s by %s', ([action, subject, rule]) => {
  const expected = typeof rule === 'string' ? rule : expect.stringMatching(rule);
  expect(explainServer(worker, action, subject)).toEqual({ allowed: false, rule: expected });
});

it('A10 who holds the root may write grants, and whoever operates purges', () => {
  expect(explainServer(operator, 'publish', '$KV.VAK_GRANTS_ws.w1')).toMatchObject({ allowed: true });
  expect(explainServer({ ...operator, holdsRoot: false }, 'publish', '$KV.VAK_GRANTS_ws.w1').allowed).toBe(false);
  expect(explainServer(operator, 'publish', '$JS.API.STREAM.PURGE.VAK_WORK_ws').allowed).toBe(true);
});

it('S4 what no server takes for a subject is refused, and what is the fabric’s own is not asked here', () => {
  for (const text of ['', '$JS..X', '$JS.', `$${'x'.repeat(512)}`, '$KV.a b', '$KV.\u202e'])
    expect(() => checkServerSubject(text), text).toThrow(/subject: expected/);
  expect(['$JS.API.INFO', '_INBOX.x', 'vak.work.ws.q.task', 'foo'].map(isServerSubject)).toEqual([
    ...[true, true, false, false],
  ]);
});
