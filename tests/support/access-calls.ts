/** Every call that a peer can make on a fabric, on a workspace with something in it, and who may make it (A2, A4). */

import type { Bus } from '../../src/engine/bus/bus.ts';
import type { ConsumerSpec, DurablePlane } from '../../src/engine/bus/durable.ts';
import { keyValuesOf } from '../../src/engine/bus/provision.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import { isVakError } from '../../src/shared/base/vak-error.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import { mediaBucket } from '../../src/shared/protocol/storage-access.ts';
import { streamsOf } from '../../src/shared/protocol/stream-table.ts';
import { oneChunk, readText } from './fabric-fixture.ts';

/** Both planes as somebody sees them. */
export interface Planes {
  readonly bus: Bus;
  readonly durable: DurablePlane;
}

const bytes = utf8('x');
const deaf = { kind: 'inline', onMessage: () => {} } as const;

/** The consumer of a queue's tasks or of a peer's inbox. */
export function consumerOf(name: string, filter: string): ConsumerSpec {
  return { name, filter, ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 64, start: 'all' };
}

/** Names of one workspace: those of the peer `me`, session `mine`, queue `q`, and those of the peer, session and queue `other`. */
export function namesIn(ws: string) {
  return {
    task: (queue: string) => `vak.work.${ws}.${queue}.task`,
    inbox: (peer: string) => `vak.agent.${ws}.${peer}.inbox`,
    receipt: (session: string) => `vak.receipts.${ws}.${session}.completed`,
    verdict: (session: string) => `vak.approvals.${ws}.${session}.verdict`,
    deadLetter: (peer: string) => `vak.dlq.${ws}.${peer}.failed`,
    stream: (kind: string) => `VAK_${kind}_${ws}`,
  };
}

/** Puts into a provisioned workspace message of `me` and one of `other` for each stream that the calls read, and consumers. */
export async function furnish(durable: DurablePlane, ws: string): Promise<void> {
  const { task, inbox, receipt, verdict, deadLetter, stream } = namesIn(ws);
  const [work, inboxes] = [durable.stream(stream('WORK')), durable.stream(stream('INBOX'))];
  for (const queue of ['q', 'other']) await work.ensureConsumer(consumerOf(`queue-${queue}`, task(queue)));
  for (const peer of ['me', 'other']) {
    await inboxes.ensureConsumer(consumerOf(`inbox-${peer}`, inbox(peer)));
    await durable.ensureObjects(mediaBucket(ws, peer));
    await durable.objects(mediaBucket(ws, peer)).put('o', oneChunk('object'));
  }
  const subjects = [
    ...['q', 'other'].map(task),
    ...['me', 'other'].flatMap((peer) => [inbox(peer), deadLetter(peer)]),
    ...['mine', 'other'].flatMap((session) => [receipt(session), verdict(session)]),
  ];
  for (const subject of subjects) await durable.append(subject, utf8(subject));
}

/** A call, and what it does for the peer `me`. */
type Call = (planes: Planes) => unknown;

function liveCalls(ws: string): Record<string, Call> {
  const { task, inbox, verdict } = namesIn(ws);
  const publish = (subject: string) => (to: Planes) => to.bus.publish(subject, bytes);
  const subscribe = (pattern: string) => (to: Planes) => to.bus.subscribe(pattern, deaf).dispose();
  const request = (subject: string) => (to: Planes) => to.bus.request(subject, bytes, { timeoutMs: 1 });
  return {
    'publish own events': publish(`vak.events.${ws}.mine.status`),
    'publish other events': publish(`vak.events.${ws}.other.status`),
    'publish a task': publish(task('q')),
    'publish a verdict': publish(verdict('mine')),
    'publish to an inbox': publish(inbox('other')),
    'request a run': request(`vak.control.${ws}.other.run`),
    'request a room': request(`vak.control.${ws}.rooms.join`),
    'subscribe own inbox': subscribe(inbox('me')),
    'subscribe another inbox': subscribe(inbox('other')),
    'subscribe own verdicts': subscribe(verdict('mine')),
    'subscribe approvals.>': subscribe(`vak.approvals.${ws}.>`),
    'subscribe events': subscribe(`vak.events.${ws}.>`),
    'subscribe all': subscribe(`vak.*.${ws}.>`),
    'subscribe another workspace': subscribe(`vak.events.${ws}x.>`),
  };
}

function readCalls(ws: string): Record<string, Call> {
  const { task, inbox, receipt, deadLetter, stream } = namesIn(ws);
  const at = (kind: string, to: Planes) => to.durable.stream(stream(kind));
  const read = (kind: string, subject?: string) => (to: Planes) =>
    at(kind, to).read(subject === undefined ? { limit: 10 } : { limit: 10, subject });
  return {
    'read own tasks': read('WORK', task('q')),
    'read other tasks': read('WORK', task('other')),
    'read all tasks': read('WORK'),
    'get own task': (to) => at('WORK', to).get(1),
    'get other task': (to) => at('WORK', to).get(2),
    'last of other tasks': (to) => at('WORK', to).last(task('other')),
    'read own inbox': read('INBOX', inbox('me')),
    'read another inbox': read('INBOX', inbox('other')),
    'read own receipts': read('RECEIPTS', receipt('mine')),
    'read receipts': read('RECEIPTS'),
    'read own dead letters': read('DLQ', deadLetter('me')),
    'read dead letters': read('DLQ'),
    'read approvals': read('APPROVALS'),
    'read rooms': read('ROOMS'),
    'read room logs': read('ROOMS', `vak.rooms.${ws}.*.log`),
    'read all keys': read('KEYS'),
    'read actions': read('AUDIT'),
    'read advisories': read('ADV'),
    'figures of work': (to) => at('WORK', to).state(),
    'count tasks': (to) => at('WORK', to).count(namesIn(ws).task('q')),
    'figures of advisories': (to) => at('ADV', to).state(),
    'figures of another queue': (to) => at('WORK', to).consumer('queue-other').state(),
    limits: (to) => to.durable.limits(),
  };
}

function storeCalls(ws: string): Record<string, Call> {
  const { task, receipt, verdict, deadLetter, stream } = namesIn(ws);
  const append = (subject: string) => (to: Planes) => to.durable.append(subject, bytes);
  const make = (kind: string, name: string, filter: string) => (to: Planes) =>
    to.durable.stream(stream(kind)).ensureConsumer(consumerOf(name, filter));
  const pull = (kind: string, name: string) => async (to: Planes) => {
    const claimed = await to.durable.stream(stream(kind)).consumer(name).pull({ batch: 1, waitMs: 0 });
    for (const delivery of claimed) await delivery.nak();
  };
  const { inbox } = namesIn(ws);
  return {
    'append own receipt': append(receipt('mine')),
    'append other receipt': append(receipt('other')),
    'append a task': append(task('q')),
    'append a verdict': append(verdict('other')),
    'append own dead letter': append(deadLetter('me')),
    'append other dead letter': append(deadLetter('other')),
    'append a room log': append(`vak.rooms.${ws}.r.log`),
    'append a room message': append(`vak.rooms.${ws}.r.messages`),
    'append own void': append(`vak.audit.${ws}.me.void`),
    'append own action': append(`vak.audit.${ws}.me.action`),
    'make own queue consumer': make('WORK', 'queue-q', task('q')),
    'make other queue consumer': make('WORK', 'queue-other', task('other')),
    'make own queue consumer of all': make('WORK', 'queue-q', `vak.work.${ws}.*.task`),
    'make own inbox': make('INBOX', 'inbox-me', inbox('me')),
    'make another inbox': make('INBOX', 'inbox-other', inbox('other')),
    'make a consumer of receipts': make('RECEIPTS', 'c', `vak.receipts.${ws}.*.completed`),
    'make a consumer of advisories': make('ADV', 'c', `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.VAK_WORK_${ws}.>`),
    'pull own queue': pull('WORK', 'queue-q'),
    'pull other queue': pull('WORK', 'queue-other'),
    'pull another inbox': pull('INBOX', 'inbox-other'),
  };
}

function bucketCalls(ws: string): Record<string, Call> {
  const values = (kind: string, to: Planes) => to.durable.keyValue(`VAK_${kind}_${ws}`);
  const [own, other] = [mediaBucket(ws, 'me'), mediaBucket(ws, 'other')];
  return {
    'read cards': (to) => values('CARDS', to).get('other'),
    'read grants': (to) => values('GRANTS', to).history('other'),
    'watch states': (to) =>
      values('STATE', to)
        .watch(() => {})
        .dispose(),
    'write own card': (to) => values('CARDS', to).put('me', bytes),
    'write another card': (to) => values('CARDS', to).put('other', bytes),
    'delete another card': (to) => values('CARDS', to).delete('other'),
    'write a grant': (to) => values('GRANTS', to).put('me', bytes),
    'write a state': (to) => values('STATE', to).put('queue.q', bytes),
    'write own media': (to) => to.durable.objects(own).put('p', oneChunk('p')),
    'write other media': (to) => to.durable.objects(other).put('p', oneChunk('p')),
    'delete other media': (to) => to.durable.objects(other).delete('o'),
    'read other media': (to) => readText(to.durable.objects(other).get('o')),
    'make other media': (to) => to.durable.ensureObjects(other),
  };
}

/** They come last: what they do to the workspace is no matter any more. */
function endingCalls(ws: string): Record<string, Call> {
  const { stream } = namesIn(ws);
  const at = (kind: string, to: Planes) => to.durable.stream(stream(kind));
  const [spec] = streamsOf(ws);
  const [bucket] = keyValuesOf(ws);
  return {
    'delete a task': (to) => at('WORK', to).delete(1),
    'delete a receipt': (to) => at('RECEIPTS', to).delete(1),
    'purge a queue': (to) => at('WORK', to).purge(namesIn(ws).task('q')),
    'purge dead letters': (to) => at('DLQ', to).purge(),
    'make a stream': (to) => spec && to.durable.ensureStream(spec),
    'make a bucket': (to) => bucket && to.durable.ensureKeyValue(bucket),
    'remove a consumer': (to) => at('WORK', to).deleteConsumer('queue-other'),
    'remove a stream': (to) => to.durable.deleteStream(stream('RECEIPTS')),
  };
}

/** Every call, in an order in which none spoils what a later one looks for. */
export function callsIn(ws: string): ReadonlyMap<string, Call> {
  const parts = [liveCalls, readCalls, storeCalls, bucketCalls, endingCalls];
  return new Map(parts.flatMap((part) => Object.entries(part(ws))));
}

/** Whether a call is refused for want of a right; other failures come from the engine, which has then been asked. */
export async function isForbidden(call: Call, planes: Planes): Promise<boolean> {
  try {
    await call(planes);
    return false;
  } catch (error) {
    if (!isVakError(error)) throw error;
    return error.code === 'forbidden';
  }
}

const ofEverybody = [
  ...['read cards', 'read grants', 'watch states', 'write own card', 'write own media', 'read other media'],
];
const ownInbox = ['subscribe own inbox', 'read own inbox', 'make own inbox'];
const ofHumans = [
  ...['publish own events', 'publish to an inbox', 'request a room', 'append own void'],
  ...['append a room message', 'read rooms', 'read room logs'],
  ...ownInbox,
  ...ofEverybody,
];
const ofWorkers = [
  ...['publish own events', 'publish to an inbox', 'read own receipts', 'read own dead letters'],
  ...['append own receipt', 'append own dead letter', 'append own void', 'figures of work', 'count tasks'],
  ...ownInbox,
  ...ofEverybody,
];
const readsReceipts = ['read own receipts', 'read receipts'];
const readsDeadLetters = ['read own dead letters', 'read dead letters'];
const readsTasks = [
  ...['read own tasks', 'read other tasks', 'read all tasks', 'get own task', 'get other task', 'last of other tasks'],
  ...['figures of work', 'count tasks', 'figures of another queue'],
];
const readsAdvisories = ['read advisories', 'figures of advisories'];

/** Who may make which of the calls: all others are refused to that role. */
export const allowedCalls: Readonly<Record<Role, readonly string[]>> = {
  worker: [
    ...ofWorkers,
    ...['subscribe own verdicts', 'read own tasks', 'get own task', 'make own queue consumer', 'pull own queue'],
  ],
  bot: ofHumans,
  human: ofHumans,
  coordinator: [
    ...ofWorkers,
    ...['publish a task', 'append a task', 'request a run', 'subscribe events'],
    ...['make own queue consumer', 'make other queue consumer', 'figures of another queue'],
    ...readsReceipts,
    ...readsDeadLetters,
  ],
  operator: [
    ...ofHumans,
    ...['publish a task', 'publish a verdict', 'append a task', 'append a verdict', 'append own dead letter'],
    ...['append own action', 'subscribe another inbox', 'subscribe own verdicts', 'subscribe approvals.>'],
    ...['subscribe events', 'subscribe all', 'read another inbox', 'read approvals', 'read all keys', 'read actions'],
    ...readsReceipts,
    ...readsDeadLetters,
    ...readsTasks,
    ...readsAdvisories,
    ...['limits', 'make own queue consumer', 'make other queue consumer', 'make another inbox', 'write a state'],
    ...['make a consumer of advisories', 'purge a queue', 'remove a consumer'],
  ],
  observer: ['subscribe events', ...readsReceipts, ...ofEverybody],
  membershipd: ['append a room log', 'append own void', 'read room logs', ...ofEverybody],
  'dlq-supervisor': [
    ...[
      'append own dead letter',
      'append own void',
      'append own action',
      'make a consumer of advisories',
      'read actions',
    ],
    ...readsReceipts,
    ...readsDeadLetters,
    ...readsTasks,
    ...readsAdvisories,
    'delete a task',
    ...ofEverybody,
  ],
  provisioner: [
    ...[
      'figures of work',
      'count tasks',
      'figures of advisories',
      'figures of another queue',
      'limits',
      'make other media',
    ],
    ...['make own queue consumer', 'make other queue consumer', 'make own inbox', 'make another inbox'],
    ...['make a consumer of receipts', 'make a consumer of advisories'],
    ...['make a stream', 'make a bucket', 'remove a consumer', 'remove a stream'],
    ...ofEverybody,
  ],
};
