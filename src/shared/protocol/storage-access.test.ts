import { describe, expect, it } from 'vitest';
import { type Role, roles } from './roles.ts';
import { consumerFilter, explainStorage, mediaPlace, type StorageHolder, takesItsSubjects } from './storage-access.ts';
import { rootRules, type StorageAction, storageRules } from './storage-rules.ts';
import { type StreamSpec, streamsOf } from './stream-table.ts';

const as = (role: Role, more: Partial<StorageHolder> = {}): StorageHolder => {
  return { workspace: 'ws', peer: 'me', roles: [role], queues: new Set(['q', 'r']), ...more };
};

const actions: readonly StorageAction[] = ['inspect', 'read', 'write', 'delete', 'purge', 'pull', 'make', 'remove'];
const placesIn = (ws: string): string[] => [
  ...streamsOf(ws).flatMap(({ name }) => [`stream.${name}`, `consumer.${name}.c`]),
  ...['queue-q', 'queue-r', 'queue-s'].map((name) => `consumer.VAK_WORK_${ws}.${name}`),
  ...['inbox-me', 'inbox-other'].map((name) => `consumer.VAK_INBOX_${ws}.${name}`),
  ...['CARDS', 'GRANTS', 'STATE'].flatMap((kind) =>
    ['', '.me', '.other', '.me.x'].map((key) => `values.VAK_${kind}_${ws}${key}`),
  ),
];

/** Who may write, delete, purge and remove: everything that destroys. */
const destroying: Readonly<Record<Role, readonly string[]>> = {
  worker: [],
  bot: [],
  human: [],
  coordinator: [],
  operator: [
    ...['.me', '.other', '.me.x'].map((key) => `write values.VAK_STATE_ws${key}`),
    'purge stream.VAK_WORK_ws',
    ...['c', 'queue-q', 'queue-r', 'queue-s'].map((name) => `remove consumer.VAK_WORK_ws.${name}`),
    ...['c', 'inbox-me', 'inbox-other'].map((name) => `remove consumer.VAK_INBOX_ws.${name}`),
    'remove consumer.VAK_ADV_ws.c',
  ],
  observer: [],
  membershipd: [],
  'dlq-supervisor': ['delete stream.VAK_WORK_ws'],
  provisioner: placesIn('ws')
    .filter((place) => /^(?:stream|consumer)\./.test(place))
    .map((place) => `remove ${place}`),
};
const everyDestroying = ['write values.VAK_CARDS_ws.me'];

describe('rights on streams and buckets', () => {
  it.each(roles)('A10 %s destroys exactly what its row says', (role) => {
    const allowed = (['write', 'delete', 'purge', 'remove'] as const).flatMap((action) =>
      placesIn('ws')
        .filter((place) => explainStorage(as(role), action, place).allowed)
        .map((place) => `${action} ${place}`),
    );
    expect(allowed.toSorted()).toEqual([...new Set([...destroying[role], ...everyDestroying])].toSorted());
  });

  it.each(roles)('A10 %s claims from its inbox alone, and a worker from its queues', (role) => {
    const claimed = placesIn('ws').filter((place) => explainStorage(as(role), 'pull', place).allowed);
    const hasInbox = ['worker', 'bot', 'human', 'coordinator', 'operator'].includes(role);
    expect(claimed.toSorted()).toEqual(
      [
        ...(hasInbox ? ['consumer.VAK_INBOX_ws.inbox-me'] : []),
        ...(role === 'worker' ? ['queue-q', 'queue-r'].map((name) => `consumer.VAK_WORK_ws.${name}`) : []),
        ...(role === 'dlq-supervisor' ? ['consumer.VAK_ADV_ws.c'] : []),
      ].toSorted(),
    );
  });

  it('A1 no role reaches a stream, consumer or bucket of another workspace, nor one outside the tables', () => {
    const strange = [
      'stream.',
      'stream.VAK_WORK_ws.x',
      'consumer.VAK_WORK_ws',
      'values.',
      'objects.VAK_MEDIA_2_ws_me',
      '',
    ];
    const all = as('worker', { roles, holdsRoot: true });
    const foreign = [
      ...placesIn('elsewhere'),
      ...placesIn('ws_x'),
      'values.OTHER',
      'stream.KV_VAK_CARDS_ws',
      ...strange,
    ];
    for (const place of foreign) {
      const allowed = actions.filter((action) => explainStorage(all, action, place).allowed);
      expect([place, allowed]).toEqual([place, []]);
    }
  });

  it.each([
    ['worker', 'pull', 'consumer.VAK_WORK_ws.queue-r', 'worker: pull tasks of its queue'],
    ['worker', 'inspect', 'consumer.VAK_WORK_ws.queue-q', 'worker: make tasks of its queue'],
    ['worker', 'inspect', 'stream.VAK_RECEIPTS_ws', 'worker: publish own receipts'],
    ['worker', 'inspect', 'stream.VAK_KEYS_ws', undefined],
    ['operator', 'pull', 'consumer.VAK_WORK_ws.queue-q', undefined],
    ['coordinator', 'make', 'consumer.VAK_WORK_ws.queue-q', 'coordinator: make queues'],
    ['coordinator', 'inspect', 'consumer.VAK_WORK_ws.queue-q', 'coordinator: make queues'],
    ['coordinator', 'pull', 'consumer.VAK_WORK_ws.queue-q', undefined],
    ['coordinator', 'read', 'stream.VAK_WORK_ws', undefined],
    ['operator', 'purge', 'stream.VAK_WORK_ws', 'operator: purge tasks'],
    ['operator', 'make', 'stream.VAK_WORK_ws', undefined],
    ['dlq-supervisor', 'delete', 'stream.VAK_WORK_ws', 'dlq-supervisor: delete tasks'],
    ['dlq-supervisor', 'purge', 'stream.VAK_WORK_ws', undefined],
    ['observer', 'read', 'values.VAK_GRANTS_ws', 'every role: read grants'],
    ['human', 'write', 'media.me', 'every role: write own media'],
    ['human', 'write', 'media.other', undefined],
    ['provisioner', 'read', 'stream.VAK_WORK_ws', undefined],
  ] as const)('A5 %s %s %s: %s decides', (role, action, place, rule) => {
    const answer = explainStorage(as(role), action, place);
    expect(answer).toEqual(rule === undefined ? { allowed: false, rule: 'A1 default deny' } : { allowed: true, rule });
  });

  it('A4 grants are written by whoever holds the root, with a role or without', () => {
    const place = 'values.VAK_GRANTS_ws.me';
    const holder = { workspace: 'ws', peer: 'me', roles: [], holdsRoot: true };
    expect(explainStorage(holder, 'write', place)).toEqual({ allowed: true, rule: 'root: write grants' });
    expect(explainStorage(as('operator'), 'write', place).allowed).toBe(false);
    expect(explainStorage(holder, 'write', 'values.VAK_STATE_ws.me').allowed).toBe(false);
  });

  it('A1 what is not known is not its own, and a name that is no token is refused', () => {
    const bare: StorageHolder = { workspace: 'ws', roles: ['worker'] };
    for (const place of ['consumer.VAK_WORK_ws.queue-q', 'consumer.VAK_INBOX_ws.inbox-me', 'media.me'])
      expect(explainStorage(bare, 'make', place).allowed).toBe(false);
    for (const more of [{ workspace: '*' }, { peer: '*' }, { queues: new Set(['a.b']) }])
      expect(() => explainStorage(as('worker', more), 'read', 'plane')).toThrowError(/expected 1–64/);
  });

  it('A5 every rule has a name of its own', () => {
    for (const rules of [...storageRules.values(), rootRules]) {
      const names = rules.map(({ name, place }) => `${name} ${place}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('names', () => {
  it.each([
    ['VAK_WORK_ws', 'queue-q', 'vak.work.ws.q.task'],
    ['VAK_WORK_ws', 'queue-', undefined],
    ['VAK_WORK_ws', 'queue-*', undefined],
    ['VAK_WORK_ws', 'anything', undefined],
    ['VAK_INBOX_ws', 'inbox-me', 'vak.agent.ws.me.inbox'],
    ['VAK_INBOX_ws', 'queue-q', undefined],
    ['VAK_RECEIPTS_ws', 'anything', 'any'],
  ] as const)('A10 a consumer of %s called %s has the filter %s', (stream, name, filter) => {
    expect(consumerFilter('ws', stream, name)).toBe(filter);
  });

  it.each([
    ['VAK_MEDIA_2_ws_me', 'media.me'],
    ['VAK_MEDIA_2_ws_a_b', 'media.a_b'],
    ['VAK_MEDIA_4_ws_a_b', 'objects.VAK_MEDIA_4_ws_a_b'],
    ['VAK_MEDIA_2_ws_', 'objects.VAK_MEDIA_2_ws_'],
    ['VAK_MEDIA_2_ws_*', 'objects.VAK_MEDIA_2_ws_*'],
    ['VAK_CARDS_ws', 'objects.VAK_CARDS_ws'],
  ])('A10 the bucket %s is the place %s', (bucket, place) => {
    expect(mediaPlace('ws', bucket)).toBe(place);
  });

  it('A10 a stream takes the subjects of its row, in any order, and no others', () => {
    for (const spec of streamsOf('ws')) {
      expect(takesItsSubjects('ws', { ...spec, subjects: spec.subjects.toReversed(), maxAgeMs: 1 })).toBe(true);
      for (const subjects of [[], spec.subjects.slice(1), [...spec.subjects, 'vak.x'], ['vak.>']])
        expect(takesItsSubjects('ws', { ...spec, subjects })).toBe(false);
    }
    expect(takesItsSubjects('ws', { ...(streamsOf('elsewhere')[0] as StreamSpec) })).toBe(false);
  });
});
