/**
 * Rights on streams, consumers and buckets (A4, A10): what of A2 and A4 is no subject, one row a role, as places.
 * Law: default deny; nothing here reaches beyond the workspace, and subjects within a stream are the business of acl-rules.ts.
 *
 * A place is `plane`, `stream.<stream>`, `consumer.<stream>.<consumer>`, `values.<bucket>`, `values.<bucket>.<key>`, or
 * `media.<peer>`, the bucket that this peer writes. `{ws}`, `{peer}`, `{queue}` stand for the peer's own, `*` for one name, `>` for a key.
 */
import { type Role, roles } from './roles.ts';

/**
 * `inspect`: figures and settings · `read`: all that lies there · `write`: put and delete values or objects · `delete`: by sequence ·
 * `purge` · `pull`: claim · `make` and `remove` the thing itself.
 */
export type StorageAction = 'inspect' | 'read' | 'write' | 'delete' | 'purge' | 'pull' | 'make' | 'remove';

/** One rule: it allows. `name` is what it is called when it decides. */
export interface StorageRule {
  readonly action: StorageAction;
  /** `dlq-supervisor: delete tasks`. */
  readonly name: string;
  /** With the placeholders named above. */
  readonly place: string;
}

/** What is allowed, what in words, and where. */
type Entry = readonly [actions: readonly StorageAction[], what: string, place: string];

const claim = ['make', 'pull'] as const;
const administer = ['make', 'remove'] as const;

const ownInbox: Entry = [claim, 'own inbox', 'consumer.VAK_INBOX_{ws}.inbox-{peer}'];
const allFigures: readonly Entry[] = [
  [['inspect'], 'the plane', 'plane'],
  [['inspect'], 'streams', 'stream.*'],
  [['inspect'], 'consumers', 'consumer.*.*'],
];

/** Of every peer that holds a role. */
const every: readonly Entry[] = [
  [['read'], 'cards', 'values.VAK_CARDS_{ws}'],
  [['read'], 'grants', 'values.VAK_GRANTS_{ws}'],
  [['read'], 'states', 'values.VAK_STATE_{ws}'],
  [['write'], 'own card', 'values.VAK_CARDS_{ws}.{peer}'],
  [['read'], 'media', 'media.*'],
  [['write', 'make'], 'own media', 'media.{peer}'],
];

const table: Readonly<Record<Role, readonly Entry[]>> = {
  worker: [[claim, 'tasks of its queue', 'consumer.VAK_WORK_{ws}.queue-{queue}'], ownInbox],
  bot: [ownInbox],
  human: [ownInbox],
  // Who puts tasks into a queue makes it, and sees how much stands there.
  coordinator: [ownInbox, [['make'], 'queues', 'consumer.VAK_WORK_{ws}.*']],
  operator: [
    ownInbox,
    ...allFigures,
    [['read'], 'advisories', 'stream.VAK_ADV_{ws}'],
    [['purge'], 'tasks', 'stream.VAK_WORK_{ws}'],
    [administer, 'consumers of queues', 'consumer.VAK_WORK_{ws}.*'],
    [administer, 'inboxes', 'consumer.VAK_INBOX_{ws}.*'],
    [administer, 'consumers of advisories', 'consumer.VAK_ADV_{ws}.*'],
    [['write'], 'states', 'values.VAK_STATE_{ws}.>'],
  ],
  observer: [],
  membershipd: [],
  'dlq-supervisor': [
    [['inspect', 'read', 'delete'], 'tasks', 'stream.VAK_WORK_{ws}'],
    [['inspect'], 'consumers of queues', 'consumer.VAK_WORK_{ws}.*'],
    [['read'], 'receipts', 'stream.VAK_RECEIPTS_{ws}'],
    [['read'], 'dead letters', 'stream.VAK_DLQ_{ws}'],
    [['read'], 'actions of operators', 'stream.VAK_AUDIT_{ws}'],
    [['inspect', 'read'], 'advisories', 'stream.VAK_ADV_{ws}'],
    [claim, 'advisories', 'consumer.VAK_ADV_{ws}.*'],
  ],
  provisioner: [
    ...allFigures,
    [administer, 'streams', 'stream.*'],
    [administer, 'consumers', 'consumer.*.*'],
    [['make'], 'buckets of values', 'values.*'],
    [['make'], 'buckets of media', 'media.*'],
  ],
};

function rulesOf(who: string, entries: readonly Entry[]): readonly StorageRule[] {
  return entries.flatMap(([actions, what, place]) =>
    actions.map((action) => ({ action, name: `${who}: ${action} ${what}`, place })),
  );
}

/** The rules of each role. */
export const storageRules: ReadonlyMap<Role, readonly StorageRule[]> = new Map(
  roles.map((role) => [role, [...rulesOf(role, table[role]), ...rulesOf('every role', every)]]),
);

/** The rules of whoever holds the workspace's root key (I4), besides those of its roles. */
export const rootRules: readonly StorageRule[] = rulesOf('root', [
  [['read'], 'grants', 'values.VAK_GRANTS_{ws}'],
  [['write'], 'grants', 'values.VAK_GRANTS_{ws}.>'],
]);
