import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isVakError } from '../base/vak-error.ts';
import { type AccessContext, explainAccess, explainHolder, rolesThatMayPublish } from './acl.ts';
import type { AccessAction } from './acl-rules.ts';
import { type Role, roles } from './roles.ts';
import { matches, subjectRows } from './subject.ts';

/** The peer `me` in session `mine`, of queue `q`, in room `r`. */
const me = { workspace: 'ws', peer: 'me', session: 'mine', queue: 'q', rooms: ['r'] };
const as = (role: Role, more: Partial<AccessContext> = {}): AccessContext => ({ ...me, role, ...more });
const isAllowed = (role: Role, action: AccessAction, text: string): boolean =>
  explainAccess(as(role), action, text).allowed;

const entities = ['me', 'mine', 'q', 'r', 'rooms', 'other'];
const controlVerbs = ['run', 'cancel', 'join'];
const universe = (workspace: string): string[] =>
  subjectRows.flatMap(({ plane, verbs }) =>
    entities.flatMap((entity) => (verbs ?? controlVerbs).map((verb) => `vak.${plane}.${workspace}.${entity}.${verb}`)),
  );
const everything = [...universe('ws'), ...universe('elsewhere')];

const events = ['tokens', 'terminal', 'telemetry', 'status'];
const each = (plane: string, names: readonly string[], verbs: readonly string[]): string[] =>
  names.flatMap((entity) => verbs.map((verb) => `vak.${plane}.ws.${entity}.${verb}`));

const workerPublishes = [
  ...each('events', ['mine'], events),
  'vak.receipts.ws.mine.completed',
  'vak.approvals.ws.mine.request',
  'vak.dlq.ws.me.failed',
  ...each('agent', entities, ['inbox']),
  'vak.audit.ws.me.checkpoint',
  'vak.audit.ws.me.void',
];
const humanPublishes = [
  'vak.rooms.ws.r.messages',
  'vak.rooms.ws.r.presence',
  ...each('events', ['mine'], events),
  'vak.audit.ws.me.checkpoint',
  'vak.audit.ws.me.void',
  ...each('control', ['rooms'], controlVerbs),
  ...each('agent', entities, ['inbox']),
  ...each('keys', entities, ['package']),
];
const humanReads = [
  ...each('rooms', ['r'], ['log', 'messages', 'presence']),
  'vak.keys.ws.me.package',
  'vak.agent.ws.me.inbox',
];

/** A2, subject by subject: all that each role may; everything else of the universe is denied. */
const expected: Record<Role, { publish: string[]; subscribe: string[] }> = {
  worker: {
    publish: workerPublishes,
    subscribe: [
      'vak.agent.ws.me.inbox',
      'vak.work.ws.q.task',
      'vak.approvals.ws.mine.verdict',
      ...each('control', ['me'], controlVerbs),
    ],
  },
  bot: { publish: humanPublishes, subscribe: humanReads },
  human: { publish: humanPublishes, subscribe: humanReads },
  coordinator: {
    publish: [...workerPublishes, ...each('work', entities, ['task']), ...each('control', entities, ['run', 'cancel'])],
    subscribe: [
      ...each('events', entities, events),
      ...each('receipts', entities, ['completed']),
      ...each('dlq', entities, ['failed']),
      'vak.agent.ws.me.inbox',
    ],
  },
  operator: {
    publish: [
      ...humanPublishes,
      ...each('approvals', entities, ['verdict']),
      ...each('work', entities, ['task']),
      'vak.dlq.ws.me.failed',
      'vak.audit.ws.me.action',
    ],
    subscribe: universe('ws'),
  },
  observer: {
    publish: [],
    subscribe: [...each('events', entities, events), ...each('receipts', entities, ['completed'])],
  },
  membershipd: {
    publish: [...each('rooms', entities, ['log']), ...each('audit', ['me'], ['checkpoint', 'void'])],
    subscribe: [...each('control', ['rooms'], controlVerbs), ...each('rooms', entities, ['log'])],
  },
  'dlq-supervisor': {
    publish: ['vak.dlq.ws.me.failed', ...each('audit', ['me'], ['action', 'checkpoint', 'void'])],
    subscribe: [],
  },
  provisioner: { publish: [], subscribe: [] },
};

describe('access policy', () => {
  it.each(roles.flatMap((role) => [[role, 'publish'] as const, [role, 'subscribe'] as const]))(
    'A2 %s may %s exactly what its row says, and no neighbour of it',
    (role, action) => {
      const allowed = everything.filter((subject) => isAllowed(role, action, subject));
      expect(allowed.toSorted()).toEqual([...new Set(expected[role][action])].toSorted());
    },
  );

  it.each([
    ['worker', 'vak.agent.ws.me.inbox', true],
    ['worker', 'vak.agent.ws.*.inbox', false],
    ['worker', 'vak.work.ws.*.task', false],
    ['worker', 'vak.work.ws.>', false],
    ['worker', 'vak.control.ws.me.*', true],
    ['worker', 'vak.control.ws.me.>', false],
    ['worker', 'vak.control.ws.*.run', false],
    ['human', 'vak.rooms.ws.r.*', true],
    ['human', 'vak.rooms.ws.*.log', false],
    ['bot', 'vak.keys.ws.>', false],
    ['coordinator', 'vak.events.ws.>', true],
    ['coordinator', 'vak.events.ws.*.status', true],
    ['coordinator', 'vak.*.ws.*.status', false],
    ['observer', 'vak.receipts.ws.*.*', true],
    ['observer', 'vak.*.ws.>', false],
    ['operator', 'vak.*.ws.>', true],
    ['operator', 'vak.work.ws.>', true],
    ['operator', 'vak.>', false],
    ['operator', '>', false],
    ['operator', 'vak.*.*.mine.status', false],
    ['operator', 'vak.events.elsewhere.>', false],
    ['membershipd', 'vak.rooms.ws.*.log', true],
    ['membershipd', 'vak.rooms.ws.>', false],
  ] as const)('A2 %s subscribes to %s: %s', (role, pattern, allowed) => {
    expect(isAllowed(role, 'subscribe', pattern)).toBe(allowed);
  });

  it('A2 a room that a peer is not in is closed to it; where membership is not known, signatures decide (A4)', () => {
    const subject = 'vak.rooms.ws.other.messages';
    expect(explainAccess(as('human'), 'publish', subject).allowed).toBe(false);
    expect(explainAccess(as('human', { rooms: [] }), 'publish', 'vak.rooms.ws.r.messages').allowed).toBe(false);
    expect(explainAccess(as('human', { rooms: undefined }), 'publish', subject).allowed).toBe(true);
    expect(explainAccess(as('human', { rooms: undefined }), 'publish', 'vak.rooms.ws.other.log').allowed).toBe(false);
  });

  it('A6 a worker that is called rooms does not hear what the membership service is asked', () => {
    const context = as('worker', { peer: 'rooms' });
    for (const pattern of ['vak.control.ws.rooms.*', 'vak.control.ws.rooms.join']) {
      expect(explainAccess(context, 'subscribe', pattern)).toEqual({
        allowed: false,
        rule: 'worker: deny control.rooms.>',
      });
    }
  });
});

describe('ACL worker enforcement', () => {
  const worker = as('worker');
  it.each([
    ['a worker cannot publish a task', 'publish', 'vak.work.ws.q.task', 'worker: deny work.>'],
    ['a worker cannot publish a verdict', 'publish', 'vak.approvals.ws.mine.verdict', 'A1 default deny'],
    ['a worker cannot subscribe approvals.>', 'subscribe', 'vak.approvals.ws.>', 'A1 default deny'],
    ["a worker cannot subscribe another peer's inbox", 'subscribe', 'vak.agent.ws.other.inbox', 'A1 default deny'],
    ['a worker cannot subscribe every inbox', 'subscribe', 'vak.agent.ws.*.inbox', 'A1 default deny'],
    ["a worker cannot publish another session's events", 'publish', 'vak.events.ws.other.status', 'A1 default deny'],
    ["a worker cannot publish another peer's dead letter", 'publish', 'vak.dlq.ws.other.failed', 'A1 default deny'],
    ['a worker cannot publish in another workspace', 'publish', 'vak.work.w2.q.task', 'A1 deny other workspaces'],
  ] as const)('A3 %s', (_what, action, text, rule) => {
    expect(explainAccess(worker, action, text)).toEqual({ allowed: false, rule });
  });
});

describe('explain', () => {
  it.each([
    ['worker', 'publish', 'vak.events.ws.mine.status', true, 'worker: publish own events'],
    ['worker', 'publish', 'vak.work.ws.other.task', false, 'worker: deny work.>'],
    ['worker', 'subscribe', 'vak.work.ws.q.task', true, 'worker: subscribe work of its queue'],
    ['operator', 'publish', 'vak.approvals.ws.any.verdict', true, 'operator: publish verdicts'],
    ['operator', 'subscribe', 'vak.dlq.ws.>', true, 'operator: subscribe everything in its workspace'],
    ['operator', 'subscribe', 'vak.>', false, 'A1 deny other workspaces'],
    ['coordinator', 'publish', 'vak.control.ws.w1.run', true, 'coordinator: publish run requests'],
    ['observer', 'publish', 'vak.events.ws.mine.status', false, 'A1 default deny'],
    ['membershipd', 'publish', 'vak.rooms.ws.r.log', true, 'membershipd: publish room logs'],
    ['human', 'subscribe', 'somewhere.else', false, 'A1 default deny'],
  ] as const)('A5 %s %s %s: the rule that decided is named', (role, action, text, allowed, rule) => {
    expect(explainAccess(as(role), action, text)).toEqual({ allowed, rule });
  });

  it.each([
    ['worker', 'publish', 'vak.events.ws.mine.status', 'worker: publish own events needs --session'],
    ['worker', 'publish', 'vak.dlq.ws.me.failed', 'worker: publish own dead letters needs --peer'],
    ['worker', 'subscribe', 'vak.work.ws.q.task', 'worker: subscribe work of its queue needs --queue'],
    ['dlq-supervisor', 'publish', 'vak.audit.ws.me.void', 'dlq-supervisor: publish own audit needs --peer'],
  ] as const)(
    'A5 %s %s %s: a rule that needs what was not given does not apply, and says so',
    (role, action, text, why) => {
      expect(explainAccess({ role, workspace: 'ws' }, action, text)).toEqual({
        allowed: false,
        rule: `A1 default deny (${why})`,
      });
    },
  );

  it('A5 what no rule would allow is denied without advice, given little or all', () => {
    const bare = explainAccess({ role: 'worker', workspace: 'ws' }, 'publish', 'vak.audit.ws.me.action');
    expect(bare).toEqual({ allowed: false, rule: 'A1 default deny' });
  });

  it.each([
    ['publish', 'vak.events.ws.mine.nothing', 'invalid-subject', 'verb'],
    ['publish', 'vak.events.ws.*.status', 'invalid-subject', 'session'],
    ['subscribe', 'vak..x', 'invalid-pattern', undefined],
  ] as const)('A5 %s %s is refused, not judged', (action, text, code, field) => {
    try {
      explainAccess(as('operator'), action, text);
      expect.unreachable();
    } catch (error) {
      expect(isVakError(error, code)).toBe(true);
      if (field !== undefined) expect(isVakError(error) && error.details?.['field']).toBe(field);
    }
  });

  it.each(['workspace', 'peer', 'session', 'queue'] as const)(
    'A1 a wildcard in place of the %s widens nothing: it is refused',
    (field) => {
      for (const value of ['*', '>', 'a.b', '']) {
        expect(() =>
          explainAccess(as('worker', { [field]: value }), 'subscribe', 'vak.agent.ws.me.inbox'),
        ).toThrowError(new RegExp(`^${field}:`));
      }
      expect(() => explainAccess(as('human', { rooms: ['*'] }), 'subscribe', 'vak.rooms.ws.r.log')).toThrowError(
        /^room:/,
      );
      expect(() => explainAccess(as('king' as Role), 'subscribe', 'a')).toThrowError(/^role:/);
    },
  );
});

it('A1 an allowed subscription matches no subject that is denied, and what it matches is allowed one by one', () => {
  const token = fc.constantFrom('*', '*', ...entities, 'ws', 'elsewhere', ...events, 'task', 'verdict', 'run', 'inbox');
  const plane = fc.constantFrom('*', ...subjectRows.map((row) => row.plane));
  const pattern = fc
    .tuple(plane, fc.constantFrom('ws', 'ws', '*', 'elsewhere'), fc.array(token, { maxLength: 2 }), fc.boolean())
    .map(([first, workspace, rest, hasTail]) =>
      ['vak', first, workspace, ...rest, ...(hasTail || rest.length < 2 ? ['>'] : [])].join('.'),
    );
  let allowedCount = 0;
  fc.assert(
    fc.property(fc.constantFrom(...roles), pattern, (role, text) => {
      if (!isAllowed(role, 'subscribe', text)) return;
      allowedCount++;
      const reached = everything.filter((subject) => matches(text, subject));
      expect(reached.filter((subject) => !isAllowed(role, 'subscribe', subject))).toEqual([]);
    }),
    { numRuns: 3000 },
  );
  expect(allowedCount).toBeGreaterThan(50);
});

describe('roles for a signature', () => {
  const who = { workspace: 'ws', peer: 'me', session: 'mine' };
  it.each([
    ['vak.events.ws.mine.status', ['worker', 'bot', 'human', 'coordinator', 'operator']],
    ['vak.work.ws.q.task', ['coordinator', 'operator']],
    ['vak.approvals.ws.other.verdict', ['operator']],
    ['vak.rooms.ws.r.messages', ['bot', 'human', 'operator']],
    ['vak.rooms.ws.r.log', ['membershipd']],
    ['vak.audit.ws.me.action', ['operator', 'dlq-supervisor']],
    ['vak.audit.ws.other.action', []],
    ['vak.events.ws.other.status', []],
    ['vak.events.elsewhere.mine.status', []],
    ['vak.events.ws.mine.nothing', []],
    ['not a subject', []],
  ] as const)('I4 %s needs one of %j', (subject, needed) => {
    expect(rolesThatMayPublish(subject, who)).toEqual(needed);
  });

  it('I4 agrees with explain for every subject, allowed or not', () => {
    for (const subject of everything) {
      const allowed = roles.filter((role) => explainAccess({ ...who, role }, 'publish', subject).allowed);
      expect(rolesThatMayPublish(subject, who), subject).toEqual(allowed);
    }
  });

  it('I4 a name that is no token has no role', () => {
    expect(rolesThatMayPublish('vak.audit.ws.me.void', { ...who, peer: '*' })).toEqual([]);
    expect(rolesThatMayPublish('vak.agent.ws.me.inbox', { ...who, session: 'a.b' })).toEqual([]);
  });
});

describe('a peer with all that it holds', () => {
  const sessions = ['mine', 'other'];
  const queues = ['q', 'r'];
  const holding = (...held: Role[]) => {
    const { workspace, peer, rooms } = me;
    return { workspace, peer, rooms, roles: held, sessions: new Set(sessions), queues: new Set(queues) };
  };

  it.each(roles)('A9 %s may what it may in one of its sessions and for one of its queues, and no more', (role) => {
    for (const action of ['publish', 'subscribe'] as const) {
      for (const subject of everything) {
        const inOne = sessions.some((session) =>
          queues.some((queue) => explainAccess(as(role, { session, queue }), action, subject).allowed),
        );
        expect([subject, explainHolder(holding(role), action, subject).allowed]).toEqual([subject, inOne]);
      }
    }
  });

  it.each([
    ['vak.events.ws.*.status', false],
    ['vak.work.ws.q.task', true],
    ['vak.work.ws.r.>', false],
    ['vak.work.ws.*.task', false],
    ['vak.approvals.ws.other.verdict', true],
    ['vak.approvals.ws.elsewhere.verdict', false],
  ] as const)('A9 a worker subscribes to %s: %s', (pattern, allowed) => {
    expect(explainHolder(holding('worker'), 'subscribe', pattern).allowed).toBe(allowed);
  });

  it('A9 of several roles one that allows is enough, and a deny of any holds against all', () => {
    const both = holding('coordinator', 'observer');
    expect(explainHolder(both, 'publish', 'vak.work.ws.q.task').rule).toBe('coordinator: publish tasks');
    for (const held of [
      ['worker', 'coordinator'],
      ['operator', 'worker'],
    ] as const) {
      const denied = explainHolder(holding(...held), 'publish', 'vak.work.ws.q.task');
      expect(denied).toEqual({ allowed: false, rule: 'worker: deny work.>' });
    }
    expect(explainHolder(holding('operator', 'worker'), 'subscribe', 'vak.control.ws.>').rule).toBe(
      'worker: deny control.rooms.>',
    );
    expect(explainHolder(holding(), 'publish', 'vak.events.ws.mine.status')).toEqual({
      allowed: false,
      rule: 'A1 default deny',
    });
  });

  it.each([
    ['worker', 'vak.receipts.ws.mine.completed', 'worker: publish own receipts (read back)'],
    ['worker', 'vak.dlq.ws.me.failed', 'worker: publish own dead letters (read back)'],
    ['worker', 'vak.agent.ws.me.inbox', 'worker: subscribe own inbox'],
    ['worker', 'vak.agent.ws.other.inbox', undefined],
    ['worker', 'vak.receipts.ws.*.completed', undefined],
    ['worker', 'vak.work.ws.other.task', undefined],
    ['coordinator', 'vak.work.ws.q.task', undefined],
    ['human', 'vak.audit.ws.me.void', 'human: publish own voids (read back)'],
    ['human', 'vak.keys.ws.other.package', undefined],
    ['observer', 'vak.receipts.ws.>', 'observer: subscribe receipts'],
  ] as const)('A9 %s reads %s of its stream: %s', (role, pattern, rule) => {
    const answer = explainHolder(holding(role), 'read', pattern);
    expect(answer).toEqual(rule === undefined ? { allowed: false, rule: 'A1 default deny' } : { allowed: true, rule });
  });

  it.each(roles)('A11 %s answers what it is asked itself, and nothing that it merely hears', (role) => {
    const expectedAnswers: Partial<Record<Role, string[]>> = {
      worker: each('control', ['me'], controlVerbs),
      membershipd: each('control', ['rooms'], controlVerbs),
    };
    const answered = everything.filter((subject) => explainHolder(holding(role), 'answer', subject).allowed);
    expect(answered.toSorted()).toEqual((expectedAnswers[role] ?? []).toSorted());
  });

  it('A11 a worker that is called rooms answers no request to the membership service', () => {
    const rooms = { ...holding('worker'), peer: 'rooms' };
    expect(explainHolder(rooms, 'answer', 'vak.control.ws.rooms.join')).toEqual({
      ...{ allowed: false, rule: 'worker: deny control.rooms.>' },
    });
  });

  it('A1 a name that is no token is refused as it is of one role', () => {
    const bad = { ...holding('worker'), sessions: new Set(['*']) };
    expect(() => explainHolder(bad, 'publish', 'vak.events.ws.mine.status')).toThrowError(/^session:/);
    expect(() => explainHolder(holding('worker'), 'publish', 'vak.events.ws.mine.nothing')).toThrowError(/^verb:/);
    expect(() => explainHolder(holding('worker'), 'read', 'a..b')).toThrowError(/^pattern:/);
  });
});
