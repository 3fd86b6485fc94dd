import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { prepareLibrary } from '../../../tests/support/library-place.ts';
import { roles } from '../../shared/protocol/roles.ts';
import { connect, openEmbedded, VakError } from '../library.ts';
import { embeddedParts } from './embedded-engine.ts';
import type { ConnectOptions, Role } from './library-api.ts';

const place = prepareLibrary();
const { join, joinWorker } = place;

test('C3 C6 once it is closed every call says so, and its status stays', async () => {
  const boss = await join('other-boss', { roles: ['coordinator'] });
  const statuses: string[] = [];
  const stop = boss.onStatus(({ kind }) => statuses.push(kind));
  boss.onStatus(() => {
    throw new Error('a listener of a program');
  });
  const silenced = boss.onStatus(() => statuses.push('never'));
  silenced();
  expect(boss.status).toMatchObject({ kind: 'connected', server: 'embedded' });
  const queue = boss.queue('closed');
  const waiting = failure(queue.wait(await queue.submit({ input: 1 })));
  await Promise.all([boss.close(), boss.close(), boss[Symbol.asyncDispose]()]);
  stop();
  expect(await waiting).toMatchObject({ code: 'closed' });
  expect([statuses, boss.status]).toEqual([
    ['closed'],
    { kind: 'closed', sinceMs: expect.any(Number), error: undefined },
  ]);
  const calls = [
    () => queue.submit({ input: 1 }),
    () => queue.wait('x'),
    () => queue.figures(),
    () => queue.pause(),
    () => queue.work(() => 1),
    () => boss.publish('vak.events.default.self.status', {}),
    () => boss.subscribe('vak.events.default.>', () => {}),
    () => boss.approvals.list(),
  ];
  for (const call of calls) expect(await failure(call())).toMatchObject({ code: 'closed' });
});

test('A4 C1 what the grant does not give is forbidden, and the rule is told', async () => {
  const { boss } = place;
  const hand = await joinWorker('rights');
  await boss.queue('rights').submit({ input: 1 });
  const other = hand.queue('other');
  const rights = hand.queue('rights');
  const denied: [() => Promise<unknown>, string][] = [
    [() => rights.submit({ input: 1 }), 'worker: deny work.>'],
    [() => hand.publish('vak.work.default.rights.task', { input: 1 }), 'worker: deny work.>'],
    [
      () =>
        hand.publish('vak.approvals.default.boss-aaaaaaaa-d.verdict', {
          requestId: crypto.randomUUID(),
          requestLeaf: 'a'.repeat(64),
          decision: 'approve',
        }),
      'A1 default deny',
    ],
    [() => other.work(() => 1), 'A1 default deny'],
    [() => other.figures(), 'A1 default deny'],
    [() => rights.wait(crypto.randomUUID()), 'A1 default deny'],
    [() => hand.subscribe('vak.approvals.default.>', () => {}), 'A1 default deny'],
    [() => hand.subscribe('vak.agent.default.boss.inbox', () => {}), 'A1 default deny'],
    [() => hand.subscribe('vak.*.elsewhere.>', () => {}), 'A1 deny other workspaces'],
    [() => boss.queue('rights').pause(), 'A1 default deny'],
    [() => boss.queue('rights').figures(), 'A1 default deny'],
    [() => boss.approvals.list(), 'A1 default deny'],
  ];
  for (const [call, rule] of denied)
    expect(await failure(call())).toMatchObject({ code: 'forbidden', details: { rule } });
});

test('C1 a process is made with what it asks for; people are what they were granted, and nobody else is anybody', async () => {
  const asked = (identity: string, more: Partial<ConnectOptions> = {}) => failure(join(identity, more));
  expect(await asked('nobody')).toMatchObject({ code: 'not-found', message: expect.stringContaining('nobody') });
  expect(await asked('operator', { roles: ['worker'], queues: ['q'] })).toMatchObject({ code: 'forbidden' });
  const { operator } = place;
  expect([operator.peer, operator.workspace]).toEqual(['operator', 'default']);
  await join('made', { roles: ['worker'], queues: ['one'] });
  await (await join('made', { roles: ['worker'], queues: ['two'] })).queue('one').work(() => 1);
  await join('made');
});

test('C3 what cannot be meant is refused with a code, and its name', async () => {
  const { boss } = place;
  const hand = await joinWorker('input');
  const queue = boss.queue('input');
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const anything = (value: unknown): never => value as never;
  const refused: [() => Promise<unknown>, string, RegExp][] = [
    [async () => boss.queue('a b'), 'invalid-subject', /^queue: /],
    [() => queue.submit(anything({})), 'invalid-payload', /command: expected exactly one of command and input/],
    [() => queue.submit(anything(undefined)), 'invalid-payload', /^task: JSON cannot hold undefined/],
    [() => queue.submit({ input: cycle }), 'invalid-payload', /^task: JSON cannot hold it/],
    [() => queue.submit({ input: 'x'.repeat(600_000) }), 'limit-exceeded', /vak\.work\.task: 600012 bytes/],
    [() => queue.submit({ command: [] }), 'invalid-payload', /command: /],
    [() => queue.submit({ input: 1, timeoutMs: -1 }), 'invalid-payload', /timeoutMs: /],
    [() => queue.wait(''), 'invalid-input', /^ID: found 0 characters, allowed: an id as submit prints it/],
    [() => queue.wait(anything(7)), 'invalid-input', /^task: expected what submit gave/],
    [
      () => queue.wait({ id: crypto.randomUUID(), queue: 'other', leaf: '', seq: 1 }),
      'invalid-input',
      /^task: it is of queue other/,
    ],
    [() => hand.queue('input').work(anything(7)), 'invalid-input', /^handler: expected a function, got number/],
    [() => hand.queue('input').work(() => 1, { concurrency: 65 }), 'invalid-input', /^concurrency: .* from 1 to 64/],
    [() => hand.close({ finishWithinMs: -1 }), 'invalid-input', /^finishWithinMs: /],
    [() => boss.publish('vak.work', {}), 'invalid-subject', /^workspace: /],
    [
      () => boss.publish('vak.work.other.input.task', { input: 1 }),
      'invalid-subject',
      /of workspace other, this connection of default/,
    ],
    [() => boss.publish('vak.work.default.input.task', { input: 1 }, { type: 'x' }), 'invalid-input', /^type: /],
    [() => boss.publish('vak.work.default.input.task', { input: 1, command: ['ls'] }), 'invalid-payload', /^value: /],
    [
      () => boss.publish('vak.events.default.someone-e.status', {}),
      'invalid-input',
      /write vak\.events\.default\.self\.status/,
    ],
    [() => boss.publish('vak.events.default.self.status', 10n), 'invalid-payload', /^value: JSON cannot hold it/],
    [
      () => boss.publish('vak.audit.default.boss.void', {}, { sealed: true }),
      'invalid-input',
      /^sealed: .* never sealed/,
    ],
    [() => boss.subscribe('vak..x', () => {}), 'invalid-pattern', /^pattern: /],
    [() => boss.subscribe('vak.events.default.>', () => {}, { capacity: 0 }), 'invalid-input', /^capacity: /],
    [() => boss.approvals.deny(crypto.randomUUID(), ''), 'invalid-input', /^reason: missing/],
    [() => boss.approvals.approve(anything(7)), 'invalid-input', /^id: expected text/],
    [
      () => connect({ embedded: anything({}), identity: 'x' }),
      'invalid-input',
      /^connect: embedded: expected what openEmbedded gave/,
    ],
    [() => openEmbedded({ workspace: 'a b' }), 'invalid-subject', /^workspace: /],
  ];
  for (const [call, code, message] of refused) {
    const error = await failure(call());
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(error).toBeInstanceOf(VakError);
  }
});

test('C3 what cannot be meant is refused before anything is opened, and no value of it is told', async () => {
  const server = { identity: 'me', natsUrl: 'nats://127.0.0.1:4222' };
  const refused: [unknown, RegExp][] = [
    [undefined, /^connect: /],
    [{}, /^connect: identity: /],
    [{ identity: 'a b' }, /^connect: identity: expected 1–64/],
    [{ ...server, natsURL: 'x' }, /^connect: natsURL: there is no such option/],
    [{ ...server, roles: ['root'] }, /^connect: roles\.0: /],
    [{ ...server, roles: 'worker' }, /^connect: roles: /],
    [{ ...server, queues: ['a.b'] }, /^connect: queues\.0: expected 1–64/],
    [{ ...server, passphrase: 'canary words' }, /^connect: passphrase: expected \{file: path\} or a function/],
    [{ ...server, passphrase: { file: '' } }, /^connect: passphrase: /],
    [{ ...server, onLog: 'stderr' }, /^connect: onLog: expected a function/],
    [{ ...server, signal: {} }, /^connect: signal: expected an AbortSignal/],
    [{ ...server, tls: { cert: 'a' } }, /^connect: tls\.cert, tls\.key: give both/],
    [{ ...server, creds: 'a', nkeyFile: 'b' }, /^connect: creds, nkeyFile: give one/],
    [{ ...server, context: 'prod' }, /^connect: natsUrl, context: give one/],
    [{ ...server, natsUrl: 'nats://me:canary@127.0.0.1' }, /^connect: natsUrl: found \d+ characters/],
    [{ embedded: place.bus, identity: 'me', profile: '/x' }, /^connect: embedded, profile: /],
  ];
  for (const [options, message] of refused) {
    const error = await failure(connect(options as ConnectOptions));
    expect(error).toMatchObject({ code: 'invalid-input', message: expect.stringMatching(message) });
    expect(error.message).not.toContain('canary');
  }
});

test('W2c C5 a task that asks for more retries than its queue allows is refused, and never stored', async () => {
  const { operator } = place;
  const queue = operator.queue('few');
  await queue.submit({ input: 1 });
  const error = await failure(queue.submit({ input: 2, maxRetries: 9 }));
  expect(error).toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/^task\.maxRetries: queue few allows 3 retries/),
  });
  expect(await queue.figures()).toMatchObject({ lag: 1 });
});

test('C2 a connection adds no listener to the process', async () => {
  const names = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
  const before = names();
  const hand = await joinWorker('listeners');
  await hand.queue('listeners').work(() => 1);
  expect(names()).toEqual(before);
});

test('C8 of an engine nothing is left, and whoever is still connected to it is told', async () => {
  const embedded = await openEmbedded({ workspace: 'other' });
  const { profile } = embeddedParts(embedded);
  const vak = await connect({ embedded, identity: 'operator' });
  expect([vak.workspace, existsSync(profile)]).toEqual(['other', true]);
  await Promise.all([embedded.close(), embedded[Symbol.asyncDispose]()]);
  await expect.poll(() => vak.status).toMatchObject({ kind: 'closed', error: { code: 'closed' } });
  expect(existsSync(profile)).toBe(false);
  await vak.close();
});

test('C9 the roles of the types are all roles', () => {
  const named: readonly Role[] = roles;
  expect(named).toHaveLength(9);
});
