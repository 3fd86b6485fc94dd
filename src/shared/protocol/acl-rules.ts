/**
 * The table of A2 (and A6): what each role may publish and subscribe to, one row a role, as named patterns.
 * Law: A1 — what no row allows is denied, and nothing here reaches beyond the workspace.
 *
 * `{ws}`, `{peer}`, `{session}`, `{queue}` stand for the peer's own; `{room}` for a room that it is in. Rights on streams and buckets
 * (reading by sequence, deleting, administration: provisioner, dlq-supervisor) are no subjects: they stand in storage-rules.ts.
 */
import type { Role } from './roles.ts';

export type AccessAction = 'publish' | 'subscribe';

/** One rule. `pattern` holds the placeholders named above; `name` is what {@link AccessRule} is called when it decides. */
export interface AccessRule {
  readonly effect: 'allow' | 'deny';
  readonly action: AccessAction;
  /** `worker: publish own events`. */
  readonly name: string;
  readonly pattern: string;
}

/** What is allowed, in words, and the pattern of it. */
type Entry = readonly [what: string, pattern: string];

interface Row {
  readonly publish?: readonly Entry[];
  readonly subscribe?: readonly Entry[];
  readonly denyPublish?: readonly Entry[];
  readonly denySubscribe?: readonly Entry[];
}

const ownEvents: Entry = ['own events', 'vak.events.{ws}.{session}.*'];
const anyInbox: Entry = ['any inbox', 'vak.agent.{ws}.*.inbox'];
const ownInbox: Entry = ['own inbox', 'vak.agent.{ws}.{peer}.inbox'];
const ownDeadLetters: Entry = ['own dead letters', 'vak.dlq.{ws}.{peer}.failed'];
const anyTask: Entry = ['tasks', 'vak.work.{ws}.*.task'];
const ownChain: readonly Entry[] = [
  ['own checkpoints', 'vak.audit.{ws}.{peer}.checkpoint'],
  ['own voids', 'vak.audit.{ws}.{peer}.void'],
];
const workerPublishes: readonly Entry[] = [
  ownEvents,
  ['own receipts', 'vak.receipts.{ws}.{session}.completed'],
  ['own approval requests', 'vak.approvals.{ws}.{session}.request'],
  ownDeadLetters,
  anyInbox,
  ...ownChain,
];
const humanPublishes: readonly Entry[] = [
  ['messages of its rooms', 'vak.rooms.{ws}.{room}.messages'],
  ['presence in its rooms', 'vak.rooms.{ws}.{room}.presence'],
  ownEvents,
  ...ownChain,
  ['requests to the membership service', 'vak.control.{ws}.rooms.*'],
  anyInbox,
  ['any key package', 'vak.keys.{ws}.*.package'],
];
const human: Row = {
  publish: humanPublishes,
  subscribe: [['its rooms', 'vak.rooms.{ws}.{room}.*'], ['own keys', 'vak.keys.{ws}.{peer}.package'], ownInbox],
};

const table: Readonly<Record<Role, Row>> = {
  worker: {
    publish: workerPublishes,
    subscribe: [
      ownInbox,
      ['work of its queue', 'vak.work.{ws}.{queue}.task'],
      ['verdicts of its session', 'vak.approvals.{ws}.{session}.verdict'],
      ['own control', 'vak.control.{ws}.{peer}.*'],
    ],
    denyPublish: [['work.>', 'vak.work.>']],
    // A worker that is called like the service would else hear what is asked of it.
    denySubscribe: [['control.rooms.>', 'vak.control.{ws}.rooms.>']],
  },
  bot: human,
  human,
  coordinator: {
    publish: [
      ...workerPublishes,
      anyTask,
      ['run requests', 'vak.control.{ws}.*.run'],
      ['cancel requests', 'vak.control.{ws}.*.cancel'],
    ],
    subscribe: [
      ['events', 'vak.events.{ws}.>'],
      ['receipts', 'vak.receipts.{ws}.>'],
      ['dead letters', 'vak.dlq.{ws}.>'],
      ownInbox,
    ],
  },
  operator: {
    publish: [
      ...humanPublishes,
      ['verdicts', 'vak.approvals.{ws}.*.verdict'],
      anyTask,
      ownDeadLetters,
      ['own audit actions', 'vak.audit.{ws}.{peer}.action'],
    ],
    subscribe: [['everything in its workspace', 'vak.*.{ws}.>']],
  },
  observer: {
    subscribe: [
      ['events', 'vak.events.{ws}.>'],
      ['receipts', 'vak.receipts.{ws}.>'],
    ],
  },
  membershipd: {
    // Who stores durably owes its chain's heads and gaps (E12, E14, A34).
    publish: [['room logs', 'vak.rooms.{ws}.*.log'], ...ownChain],
    subscribe: [
      ['requests to the membership service', 'vak.control.{ws}.rooms.*'],
      ['room logs', 'vak.rooms.{ws}.*.log'],
    ],
  },
  'dlq-supervisor': { publish: [ownDeadLetters, ['own audit', 'vak.audit.{ws}.{peer}.*']] },
  provisioner: {},
};

function rulesOf(role: Role, row: Row): readonly AccessRule[] {
  const { publish = [], subscribe = [], denyPublish = [], denySubscribe = [] } = row;
  const allow = (action: AccessAction, entries: readonly Entry[]): AccessRule[] =>
    entries.map(([what, pattern]) => ({ effect: 'allow', action, name: `${role}: ${action} ${what}`, pattern }));
  const deny = (action: AccessAction, entries: readonly Entry[]): AccessRule[] =>
    entries.map(([what, pattern]) => ({ effect: 'deny', action, name: `${role}: deny ${what}`, pattern }));
  return [
    ...deny('publish', denyPublish),
    ...deny('subscribe', denySubscribe),
    ...allow('publish', publish),
    ...allow('subscribe', subscribe),
  ];
}

const rows = Object.entries(table) as [Role, Row][];

/** The rules of each role, denies first. */
export const accessRules: ReadonlyMap<Role, readonly AccessRule[]> = new Map(
  rows.map(([role, row]) => [role, rulesOf(role, row)]),
);

const isOwn = ({ effect, action, pattern }: AccessRule): boolean =>
  effect === 'allow' && action === 'publish' && /\{(peer|session)\}/.test(pattern);

/**
 * What each role may read of streams (A9): what it may subscribe to, and what nobody but itself may publish; its outbox looks there
 * for what it has sent (B8).
 */
export const readRules: ReadonlyMap<Role, readonly AccessRule[]> = new Map(
  Array.from(accessRules, ([role, rules]) => {
    const back = rules.filter(isOwn).map((rule): AccessRule => {
      return { ...rule, action: 'subscribe', name: `${rule.name} (read back)` };
    });
    return [role, [...rules.filter(({ action }) => action === 'subscribe'), ...back]];
  }),
);

/** Whose requests each role answers (A11): the requests to itself. Who merely hears others' answers none of them. */
const answers: Partial<Record<Role, Row>> = {
  worker: {
    subscribe: [['own control', 'vak.control.{ws}.{peer}.*']],
    denySubscribe: table.worker.denySubscribe ?? [],
  },
  membershipd: { subscribe: [['requests to the membership service', 'vak.control.{ws}.rooms.*']] },
};

/** The rules of {@link answers}, as rules about subscribing. */
export const answerRules: ReadonlyMap<Role, readonly AccessRule[]> = new Map(
  (Object.entries(answers) as [Role, Row][]).map(([role, row]) => [
    role,
    rulesOf(role, row).map((rule) => ({ ...rule, name: rule.name.replace('subscribe', 'answer') })),
  ]),
);
