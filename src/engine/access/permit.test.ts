import { describe, expect, it } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness, createSessionId, isSessionOf } from '../ports/randomness.ts';
import type { DeniedAccess } from './denial-teller.ts';
import { createPermit, type Permit, type PermitOptions } from './permit.ts';

interface Opened {
  readonly permit: Permit;
  readonly denied: DeniedAccess[];
  readonly clock: FakeClock;
}

function open(roles: readonly Role[], more: Partial<PermitOptions> = {}): Opened {
  const denied: DeniedAccess[] = [];
  const clock = createFakeClock(1_000);
  const permit = createPermit({
    ...{ workspace: 'ws', peer: 'me', roles, queues: ['q'], sessions: ['mine'] },
    ...{ clock, logger: createSilentLogger(), onDenied: (one) => denied.push(one) },
    ...more,
  });
  return { permit, denied, clock };
}

const tryTask = (permit: Permit) => refusal(() => permit.check('publish', 'vak.work.ws.q.task'), 'forbidden');

describe('a permit', () => {
  it('I4 what is granted anew counts from the next call on, and without a role nothing is allowed', () => {
    const { permit } = open(['worker']);
    permit.check('publish', 'vak.receipts.ws.mine.completed');
    permit.checkStorage('pull', 'consumer.VAK_WORK_ws.queue-q');
    permit.regrant({ roles: ['worker'], queues: ['r'] });
    permit.check('subscribe', 'vak.work.ws.r.task');
    refusal(() => permit.checkStorage('pull', 'consumer.VAK_WORK_ws.queue-q'), 'forbidden');
    permit.regrant({ roles: [], queues: [] });
    refusal(() => permit.check('publish', 'vak.receipts.ws.mine.completed'), 'forbidden');
    refusal(() => permit.checkStorage('read', 'values.VAK_CARDS_ws'), 'forbidden');
  });

  it('A12 a refusal names what was tried, who and what decided, and is told so', () => {
    const { permit, denied, clock } = open(['worker']);
    clock.advance(500);
    const { message, details, retryable } = tryTask(permit);
    const tried = { action: 'publish', subject: 'vak.work.ws.q.task', peer: 'me', rule: 'worker: deny work.>' };
    expect(details).toEqual({ ...tried, roles: 'worker', side: 'engine' });
    expect(message).toBe(
      'publish vak.work.ws.q.task: me may not, its roles are worker; refused by the engine, rule: worker: deny work.>; see vak acl explain',
    );
    expect(retryable).toBe(false);
    expect(denied).toEqual([{ ...tried, side: 'engine', atMs: 1_500, untoldCount: 0 }]);
    refusal(() => permit.checkStorage('purge', 'stream.VAK_WORK_ws'), 'forbidden');
    expect(denied[1]).toMatchObject({ action: 'purge', subject: 'stream.VAK_WORK_ws', rule: 'A1 default deny' });
  });

  it('A4 what is allowed passes, and is told to nobody', () => {
    const { permit, denied } = open(['worker'], { queues: ['a', 'q'], sessions: ['one', 'mine'] });
    for (const session of ['one', 'mine']) permit.check('publish', `vak.events.ws.${session}.status`);
    for (const queue of ['a', 'q']) permit.check('subscribe', `vak.work.ws.${queue}.task`);
    permit.checkStorage('pull', 'consumer.VAK_WORK_ws.queue-a');
    expect([denied, permit.deniedCount()]).toEqual([[], 0]);
  });

  it('A4 a session counts from when it was added, also for what was refused before', () => {
    const { permit } = open(['worker']);
    const publish = (): void => permit.check('publish', 'vak.events.ws.later.status');
    refusal(publish, 'forbidden');
    permit.addSession('later');
    permit.addSession('later');
    publish();
  });

  it('A9 a session is its own by its name, whoever has told of it', () => {
    const { permit } = open(['worker'], { ownsSession: (session) => isSessionOf('me', session) });
    for (const session of ['mine', 'me-abcdefgh-e', 'me-234567zz-d'])
      permit.check('publish', `vak.events.ws.${session}.status`);
    for (const session of [
      'me',
      'me-abcdefgh',
      'me-abcdefgh-x',
      'me-abcdefg-e',
      'me-x-abcdefgh-e',
      'you-abcdefgh-e',
      'me-abcdefg8-e',
    ])
      refusal(() => permit.check('publish', `vak.events.ws.${session}.status`), 'forbidden');
    const randomness = createSeededRandomness(1);
    const longest = 'p'.repeat(53);
    for (const peer of ['me', 'me-abcdefgh-e', longest]) {
      const session = createSessionId(peer, randomness, 'q');
      expect([isSessionOf(peer, session), isSessionOf('m', session)]).toEqual([true, false]);
    }
    // Two that differ behind it would share their sessions.
    expect(isSessionOf(`${longest}p`, createSessionId(`${longest}p`, randomness))).toBe(false);
  });

  it('A12 so many refusals are told a second; the others are counted, and said with the next', () => {
    const { permit, denied, clock } = open(['worker']);
    for (let at = 0; at < 1_000; at++) tryTask(permit);
    expect([denied.length, permit.deniedCount()]).toEqual([32, 1_000]);
    clock.advance(999);
    tryTask(permit);
    expect(denied).toHaveLength(32);
    clock.advance(1);
    tryTask(permit);
    tryTask(permit);
    expect(denied.slice(32).map(({ untoldCount }) => untoldCount)).toEqual([969, 0]);
  });

  it('A12 whoever watches and throws harms nobody', () => {
    const lines: string[] = [];
    const onDenied = (): never => {
      throw new Error('bug');
    };
    const { permit } = open(['worker'], { onDenied, logger: createLineLogger(lines) });
    expect(tryTask(permit).code).toBe('forbidden');
    expect(lines.join()).toContain('access.denied-listener');
  });

  it('A12 of a long or strange name no more is shown than may be', () => {
    const { permit, denied } = open(['worker']);
    const place = `values.VAK_STATE_ws.\n\u202e\u0000${'x'.repeat(100_000)}`;
    const { message, details } = refusal(() => permit.checkStorage('write', place), 'forbidden');
    expect(denied[0]?.subject).toBe(`values.VAK_STATE_ws.???${'x'.repeat(233)}`);
    expect(details?.['subject']).toBe(denied[0]?.subject);
    expect(message.length).toBeLessThan(400);
  });

  it('S4 what is no subject or pattern is refused as that, and is no denial', () => {
    const { permit, denied } = open(['operator']);
    expect(refusal(() => permit.check('publish', 'some.where')).code).toBe('invalid-subject');
    expect(refusal(() => permit.check('subscribe', 'a..b')).code).toBe('invalid-pattern');
    expect(denied).toEqual([]);
  });

  it('A1 names that are no tokens make no permit', () => {
    for (const more of [{ workspace: '*' }, { peer: 'a.b' }, { queues: ['>'] }, { sessions: [''] }])
      expect(refusal(() => open(['worker'], more)).code).toBe('invalid-subject');
    expect(refusal(() => open(['worker']).permit.addSession('*')).code).toBe('invalid-subject');
  });

  it('A4 a peer has so many sessions and no more', () => {
    const { permit } = open(['worker'], { sessions: Array.from({ length: 4_096 }, (_, at) => `s${at}`) });
    permit.addSession('s7');
    expect(refusal(() => permit.addSession('s4096')).code).toBe('limit-exceeded');
  });
});
