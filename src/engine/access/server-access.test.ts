import { headers } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allowedCalls,
  callsIn,
  consumerOf,
  furnish,
  namesIn,
  type Planes,
} from '../../../tests/support/access-calls.ts';
import {
  type AccessPlace,
  other,
  ports,
  startWithConf,
  startWithJwts,
  wsOf,
} from '../../../tests/support/access-server.ts';
import { oneChunk } from '../../../tests/support/fabric-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { type AccessHolder, explainHolder } from '../../shared/protocol/acl.ts';
import { type Role, roles } from '../../shared/protocol/roles.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import type { Fabric } from '../bus/fabric.ts';
import { connectToServer } from '../bus/nats/nats-connection.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import type { Denied } from '../bus/nats/nats-options.ts';
import { provision } from '../bus/provision.ts';

/** What a peer says that it may do, asked of the policy: in whichever session, as a server knows none. */
function explained(role: Role, action: 'publish' | 'subscribe', subject: string): boolean {
  const sessions = { has: isToken, values: () => ['mine'] };
  const holder: AccessHolder = {
    ...{ workspace: wsOf(role), peer: 'me', roles: [role], sessions },
    queues: new Set(role === 'worker' ? ['q'] : []),
  };
  return explainHolder(holder, action, subject).allowed;
}

/** Subjects and patterns of every plane, own and others', of this workspace and another. */
function fabricSubjects(ws: string): readonly string[] {
  const rows = ['events.mine.status', 'events.x.tokens', 'work.q.task', 'work.other.task', 'agent.me.inbox'];
  const more = ['agent.other.inbox', 'receipts.mine.completed', 'approvals.mine.request', 'approvals.mine.verdict'];
  const rest = ['dlq.me.failed', 'dlq.other.failed', 'rooms.r.log', 'rooms.r.messages', 'rooms.r.presence'];
  const last = ['keys.me.package', 'keys.other.package', 'audit.me.action', 'audit.me.checkpoint', 'audit.me.void'];
  const control = ['audit.other.checkpoint', 'control.me.run', 'control.other.cancel', 'control.rooms.join'];
  const inWorkspace = (name: string, to: string) => name.replace('.', `.${to}.`);
  return [
    ...[...rows, ...more, ...rest, ...last, ...control].map((one) => `vak.${inWorkspace(one, ws)}`),
    ...[`vak.events.${ws}x.mine.status`, `vak.work.${ws}x.q.task`],
  ];
}

function fabricPatterns(ws: string): readonly string[] {
  const planes = ['events', 'work', 'agent', 'receipts', 'approvals', 'dlq', 'rooms', 'keys', 'audit', 'control'];
  return [
    ...planes.flatMap((plane) => [`vak.${plane}.${ws}.>`, `vak.${plane}.${ws}.*.*`]),
    ...[`vak.*.${ws}.>`, `vak.*.${ws}x.>`, 'vak.>', '>', '*.>', `vak.work.*.q.task`],
  ];
}

/** Of JetStream and of inboxes, which the policy does not name: who may, else nobody. Publishes, but for those that begin with `sub `. */
const serverCases: readonly (readonly [subject: string, ...may: Role[]])[] = [
  // As a session stands there, which a server does not know: whose verdict counts is said by signatures (W8).
  ['sub vak.approvals.{ws}.*.verdict', 'worker', 'operator'],
  ['sub _INBOX.>'],
  ['sub _INBOX.*.*.>'],
  ['sub _INBOX.{ws}.>'],
  ['sub _INBOX.{ws}.*.x'],
  ['sub _INBOX.{ws}.other.>'],
  ['sub _INBOX.{ws}.me.x.*', ...roles],
  ['sub _INBOX.{ws}x.me.>'],
  ['sub $JS.>'],
  ['sub $JS.ACK.>'],
  ['sub $JS.EVENT.>'],
  ['sub $JS.API.>'],
  ['sub $SYS.>'],
  ['sub $KV.>'],
  ['sub $KV.VAK_GRANTS_{ws}.>'],
  ['sub $O.>'],
  ['_INBOX.{ws}.other.x'],
  ['_INBOX.{ws}.other.base.token'],
  ['_INBOX.{ws}.other.rq.base.token', 'worker', 'membershipd'],
  ['_INBOX.{ws}x.other.x'],
  ['$SYS.REQ.SERVER.PING'],
  ['$JS.API.INFO', 'operator', 'provisioner'],
  ['$JS.API.STREAM.LIST'],
  ['$JS.API.STREAM.NAMES'],
  ['$JS.API.STREAM.INFO.VAK_WORK_{ws}', 'worker', 'coordinator', 'operator', 'dlq-supervisor', 'provisioner'],
  ['$JS.API.STREAM.INFO.VAK_WORK_{ws}x'],
  ['$JS.API.STREAM.CREATE.VAK_NEW_{ws}'],
  ['$JS.API.STREAM.CREATE.OBJ_VAK_MEDIA_{len}_{ws}_me', 'provisioner'],
  ['$JS.API.STREAM.CREATE.KV_VAK_CARDS_{ws}', 'provisioner'],
  ['$JS.API.STREAM.CREATE.VAK_WORK_{ws}', 'provisioner'],
  ['$JS.API.STREAM.UPDATE.VAK_RECEIPTS_{ws}', 'provisioner'],
  ['$JS.API.STREAM.DELETE.KV_VAK_GRANTS_{ws}'],
  ['$JS.API.STREAM.PURGE.VAK_RECEIPTS_{ws}'],
  ['$JS.API.STREAM.PURGE.VAK_AUDIT_{ws}'],
  ['$JS.API.STREAM.PURGE.VAK_WORK_{ws}', 'operator'],
  ['$JS.API.STREAM.SNAPSHOT.VAK_WORK_{ws}'],
  ['$JS.API.STREAM.MSG.GET.VAK_WORK_{ws}', 'operator', 'dlq-supervisor'],
  ['$JS.API.STREAM.MSG.GET.VAK_INBOX_{ws}', 'operator'],
  ['$JS.API.STREAM.MSG.GET.VAK_APPROVALS_{ws}', 'operator'],
  ['$JS.API.STREAM.MSG.GET.VAK_KEYS_{ws}', 'operator'],
  ['$JS.API.STREAM.MSG.GET.VAK_RECEIPTS_{ws}', 'coordinator', 'operator', 'observer', 'dlq-supervisor'],
  ['$JS.API.STREAM.MSG.GET.KV_VAK_GRANTS_{ws}'],
  ['$JS.API.STREAM.MSG.DELETE.VAK_WORK_{ws}', 'dlq-supervisor'],
  ['$JS.API.STREAM.MSG.DELETE.VAK_AUDIT_{ws}'],
  ['$JS.API.DIRECT.GET.VAK_WORK_{ws}'],
  ['$JS.API.DIRECT.GET.VAK_DLQ_{ws}'],
  ['$JS.API.DIRECT.GET.KV_VAK_CARDS_{ws}.$KV.VAK_CARDS_{ws}.other', ...roles],
  ['$JS.API.DIRECT.GET.VAK_KEYS_{ws}.vak.keys.{ws}.me.package', 'bot', 'human', 'operator'],
  ['$JS.API.DIRECT.GET.VAK_KEYS_{ws}.vak.keys.{ws}.other.package', 'operator'],
  ['$JS.API.DIRECT.GET.VAK_DLQ_{ws}.vak.dlq.{ws}.other.failed', 'coordinator', 'operator', 'dlq-supervisor'],
  ['$JS.API.DIRECT.GET.VAK_WORK_{ws}.vak.work.{ws}.q.task', 'operator', 'dlq-supervisor'],
  ['$JS.API.CONSUMER.LIST.VAK_WORK_{ws}', 'coordinator', 'operator', 'dlq-supervisor', 'provisioner'],
  ['$JS.API.CONSUMER.NAMES.VAK_WORK_{ws}'],
  ['$JS.API.CONSUMER.INFO.VAK_WORK_{ws}.queue-q', 'worker', 'coordinator', 'operator', 'dlq-supervisor', 'provisioner'],
  ['$JS.API.CONSUMER.INFO.VAK_WORK_{ws}.queue-other', 'coordinator', 'operator', 'dlq-supervisor', 'provisioner'],
  ['$JS.API.CONSUMER.CREATE.VAK_WORK_{ws}.queue-q.vak.work.{ws}.q.task', 'operator', 'provisioner'],
  ['$JS.API.CONSUMER.CREATE.VAK_INBOX_{ws}.inbox-me.vak.agent.{ws}.me.inbox', 'operator', 'provisioner'],
  ['$JS.API.CONSUMER.CREATE.VAK_ADV_{ws}.dlq-supervisor.>', 'operator', 'provisioner'],
  ['$JS.API.CONSUMER.CREATE.VAK_WORK_{ws}.queue-q'],
  ['$JS.API.CONSUMER.CREATE.VAK_WORK_{ws}'],
  ['$JS.API.CONSUMER.DURABLE.CREATE.VAK_WORK_{ws}.queue-q'],
  ['$JS.API.CONSUMER.CREATE.VAK_APPROVALS_{ws}.peer-me.>', 'provisioner'],
  ['$JS.API.CONSUMER.CREATE.VAK_RECEIPTS_{ws}.peer-other.vak.receipts.{ws}.*.completed', 'provisioner'],
  ['$JS.API.CONSUMER.DELETE.VAK_WORK_{ws}.queue-q', 'operator', 'provisioner'],
  ['$JS.API.CONSUMER.DELETE.VAK_RECEIPTS_{ws}.peer-other', 'provisioner'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_{ws}.queue-q', 'worker'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_{ws}.queue-other'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_INBOX_{ws}.inbox-me', 'worker', 'bot', 'human', 'coordinator', 'operator'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_INBOX_{ws}.inbox-other'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_RECEIPTS_{ws}.peer-other'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_KEYS_{ws}.peer-me'],
  ['$JS.ACK.VAK_KEYS_{ws}.peer-me.1.1.1.1.0'],
  ['$JS.API.CONSUMER.MSG.NEXT.VAK_ADV_{ws}.c', 'dlq-supervisor'],
  ['$JS.ACK.VAK_WORK_{ws}.queue-q.1.1.1.1.0', 'worker'],
  ['$JS.ACK.VAK_WORK_{ws}.queue-other.1.1.1.1.0'],
  ['$JS.ACK.VAK_INBOX_{ws}.inbox-other.1.1.1.1.0'],
  ['$KV.VAK_CARDS_{ws}.me', ...roles],
  ['$KV.VAK_CARDS_{ws}.other'],
  ['$KV.VAK_GRANTS_{ws}.me'],
  ['$KV.VAK_STATE_{ws}.queue.q', 'operator'],
  ['$O.VAK_MEDIA_{len}_{ws}_me.C.x', ...roles],
  ['$O.VAK_MEDIA_{len}_{ws}_other.C.x'],
  ['$O.VAK_MEDIA_{len}_{ws}_other.M.x'],
  ['$JS.API.STREAM.PURGE.OBJ_VAK_MEDIA_{len}_{ws}_other'],
];

const named = (text: string, ws: string): string => text.replaceAll('{ws}', ws).replaceAll('{len}', String(ws.length));

/** What the server refuses of all that, as `publish …` and `subscribe …`. */
async function refusedBy(
  place: AccessPlace,
  role: Role,
  asked: ReadonlyMap<string, boolean>,
): Promise<ReadonlySet<string>> {
  const ws = wsOf(role);
  const connection = await connectToServer({
    ...{ ...ports, servers: [place.server.url], name: 'me', inboxPrefix: `_INBOX.${ws}.me`, auth: place.authOf(role) },
  });
  const refused = new Set<string>();
  connection.onDenied(({ operation, subject }: Denied) => refused.add(`${operation} ${subject}`));
  for (const [one] of asked) {
    const [action = '', subject = ''] = one.split(' ');
    // A subscription's own errors are told to all who listen.
    if (action === 'subscribe') connection.client.subscribe(subject, { callback: () => {} });
    else connection.client.publish(subject);
  }
  await connection.ping();
  await connection.ping();
  await connection.close();
  return refused;
}

function casesOf(role: Role): ReadonlyMap<string, boolean> {
  const ws = wsOf(role);
  const own = serverCases.map(([text, ...may]): [string, boolean] => {
    const [action, subject] = text.startsWith('sub ') ? ['subscribe', text.slice(4)] : ['publish', text];
    return [`${action} ${named(subject, ws)}`, may.includes(role)];
  });
  return new Map([
    ...fabricSubjects(ws).map((one): [string, boolean] => [`publish ${one}`, explained(role, 'publish', one)]),
    ...fabricPatterns(ws).map((one): [string, boolean] => [`subscribe ${one}`, explained(role, 'subscribe', one)]),
    ...own,
  ]);
}

describe.for([
  ['nats-conf', () => startWithConf()],
  ['jwt', startWithJwts],
] as const)('a nats-server that was told by %s', ([, start]) => {
  let place: AccessPlace;
  beforeAll(async () => {
    place = await start();
  });
  afterAll(() => place?.server.stop());

  it.for(roles)('A4 A5 answers of a %s as explain does, and of JetStream as its peers need', async (role) => {
    const asked = casesOf(role);
    expect(asked.size).toBeGreaterThan(60);
    const refused = await refusedBy(place, role, asked);
    const answers = Object.fromEntries([...asked.keys()].map((one) => [one, !refused.has(one)]));
    expect(answers).toEqual(Object.fromEntries(asked));
  });

  it('I4 who was revoked is out as soon as the server has read the new export, and nobody else stays out', async () => {
    const open = (role: Role) =>
      connectNats({
        ...{ ...ports, servers: [place.server.url], name: 'me', inboxPrefix: `_INBOX.${wsOf(role)}.me` },
        auth: place.authOf(role),
        timing: { backoffFromMs: 20, backoffCapMs: 100, settleMs: 20 },
      });
    const [revoked, worker] = [await open('observer'), await open('worker')];
    await place.server.config(place.withoutObserver);
    await expect
      .poll(() => revoked.status(), { timeout: 5_000 })
      .toMatchObject({ kind: 'closed', error: { code: 'unauthorized' } });
    // Of a changed account a server lets all come back anew.
    const isIn = () =>
      worker.ping().then(
        () => true,
        () => false,
      );
    await expect.poll(isIn, { timeout: 5_000 }).toBe(true);
    await Promise.all([revoked.close(), worker.close()]);
  });
});

/** What a server lets do that the engine does not: it knows no sessions. */
const anySession: Readonly<Partial<Record<Role, readonly string[]>>> = {
  worker: ['publish other events', 'append other receipt'],
  bot: ['publish other events'],
  human: ['publish other events'],
  coordinator: ['publish other events', 'append other receipt'],
  operator: ['publish other events'],
};
/** What it does not let do that the engine does, and what no peer needs: the large values of others, to read by number, and to make what is claimed from (A35). */
function barredOf(role: Role): readonly string[] {
  // They are told of the others' buckets.
  if (role === 'operator' || role === 'provisioner') return [];
  const ofAll = ['read other media', 'read own inbox'];
  return role === 'dlq-supervisor'
    ? [...ofAll, 'make a consumer of advisories']
    : [...ofAll, 'read own tasks', 'get own task'];
}
/** Whoever may make any consumer finds out by it that a stream is empty. */
const emptyStreams = ['read rooms', 'read room logs', 'read all keys', 'read actions', 'read advisories'];
/** Calls that only look where all is there already, and so ask the server for nothing that changes. */
const looking = [
  ...['make a stream', 'make a bucket', 'make other media', 'make another inbox', 'make own queue consumer'],
  ...['make other queue consumer', 'make own queue consumer of all'],
];

describe('peers of a nats-server that was told by nats-conf', () => {
  let place: AccessPlace;
  const admins = new Map<Role, Fabric>();
  const adminOf = (role: Role): Fabric => admins.get(role) as Fabric;
  const told: VakError[] = [];
  const connect = (role: Role, peer: 'me' | 'admin' = 'me'): Promise<Fabric> =>
    connectNats({
      ...{ ...ports, servers: [place.server.url], name: peer, inboxPrefix: `_INBOX.${wsOf(role)}.${peer}` },
      auth: place.authOf(role, peer),
      onError: (error) => told.push(error),
    });
  beforeAll(async () => {
    place = await startWithConf();
    for (const role of roles) {
      const admin = await connect(role, 'admin');
      admins.set(role, admin);
      await provision(admin.durable, wsOf(role));
      await furnish(admin.durable, wsOf(role));
    }
  });
  afterAll(async () => {
    await Promise.all([...admins.values()].map((admin) => admin.close()));
    await place?.server.stop();
  });

  /** Whether the server refused it; a subscription is held until that would have been told. */
  async function isRefused(call: (planes: Planes) => unknown, fabric: Fabric): Promise<boolean> {
    const subscriptions: { dispose(): void }[] = [];
    const subscribe: Fabric['bus']['subscribe'] = (...given) => {
      const subscription = fabric.bus.subscribe(...given);
      subscriptions.push(subscription);
      return { ...subscription, dispose: () => {} };
    };
    told.length = 0;
    try {
      await call({ bus: { ...fabric.bus, subscribe }, durable: fabric.durable });
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (error.code === 'unauthorized') return true;
    }
    await fabric.ping();
    await fabric.ping();
    for (const subscription of subscriptions) subscription.dispose();
    return told.length > 0;
  }

  it.for(roles)(
    'A2 A4 a stranger with the credentials of a %s does what its row says, and nothing else',
    async (role) => {
      const ws = wsOf(role);
      const fabric = await connect(role);
      const done: string[] = [];
      const calls = [...callsIn(ws)].filter(([name]) => !looking.includes(name) || allowedCalls[role].includes(name));
      for (const [name, call] of calls) if (!(await isRefused(call, fabric))) done.push(name);
      const allowed = allowedCalls[role].filter((name) => !barredOf(role).includes(name));
      const also = [...(anySession[role] ?? []), ...(role === 'provisioner' ? emptyStreams : [])];
      expect(done.toSorted()).toEqual([...new Set([...allowed, ...also])].toSorted());
      await fabric.close();
    },
  );

  it('A4 an ack of another queue’s task changes nothing, and neither does one of another’s message', async () => {
    const ws = wsOf('worker');
    const admin = adminOf('worker');
    await provision(admin.durable, ws);
    const { task, inbox, stream } = namesIn(ws);
    const worker = await connectToServer({
      ...{ ...ports, servers: [place.server.url], name: 'me', inboxPrefix: `_INBOX.${ws}.me` },
      auth: place.authOf('worker'),
    });
    const taken: [stream: string, consumer: string, subject: string][] = [
      [stream('WORK'), 'queue-other', task('other')],
      [stream('INBOX'), 'inbox-other', inbox('other')],
    ];
    for (const [name, consumer, subject] of taken) {
      const at = admin.durable.stream(name);
      await at.ensureConsumer(consumerOf(consumer, subject));
      const { seq } = await admin.durable.append(subject, utf8('x'));
      const claimed = await at.consumer(consumer).pull({ batch: 64, waitMs: 500 });
      const delivery = claimed.find(({ message }) => message.seq === seq);
      const acks = `$JS.ACK.${name}.${consumer}.1.${seq}`;
      for (let consumerSeq = 1; consumerSeq < 8; consumerSeq++)
        worker.client.publish(`${acks}.${consumerSeq}.${Date.now()}000000.0`, '+ACK');
      await worker.ping();
      expect((await at.get(seq))?.seq).toBe(seq);
      expect((await at.consumer(consumer).state()).inFlightCount).toBeGreaterThan(0);
      await delivery?.ack();
      expect(await at.get(seq)).toBeUndefined();
    }
    await worker.close();
  });

  it('A4 a rollup header empties neither another’s bucket nor the one that all write', async () => {
    const ws = wsOf('human');
    const admin = adminOf('human');
    const [cards, media] = [`VAK_CARDS_${ws}`, mediaBucket(ws, other)];
    await admin.durable.keyValue(cards).put(other, utf8('card'));
    await admin.durable.objects(media).put('kept', oneChunk('kept'));
    const connection = await connectToServer({
      ...{ ...ports, servers: [place.server.url], name: 'me', inboxPrefix: `_INBOX.${ws}.me` },
      auth: place.authOf('human'),
    });
    const refused = new Set<string | undefined>();
    connection.onDenied(({ subject }) => refused.add(subject));
    for (const subject of [`$KV.${cards}.me`, `$O.${media}.M.x`, `$O.${media}.C.x`]) {
      for (const mark of ['all', 'sub']) {
        const marks = headers();
        marks.set('Nats-Rollup', mark);
        connection.client.publish(subject, 'x', { headers: marks });
      }
    }
    await connection.ping();
    await connection.ping();
    await connection.close();
    expect([...refused]).toEqual([`$O.${media}.M.x`, `$O.${media}.C.x`]);
    expect(await admin.durable.keyValue(cards).keys()).toContain(other);
    expect(await admin.durable.objects(media).info('kept')).toMatchObject({ sizeBytes: 4 });
  });
});
