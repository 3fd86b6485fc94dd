import { describe, expect, it } from 'vitest';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  trustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { WorkspaceSecretEntry } from '../envelope/secret-registry.ts';
import { createSubjectReader } from '../feeds/subject-reader.ts';
import { createSecret } from '../identity/secret.ts';
import { createSessionDirectory, maxSessions } from './session-directory.ts';

function setUp() {
  const acme = createTrustedWorkspace();
  const { clock, intake, buffer } = acme;
  const directory = createSessionDirectory({
    ...{ intake, buffer, clock, reader: createSubjectReader(), workspace: trustedWorkspace },
    onChange: () => {},
  });
  const peers = new Map<string, TrustedPeer>();
  const peerOf = (session: string): TrustedPeer => {
    const peer = peers.get(session) ?? acme.peer(`peer-of-${session}`, { session });
    peers.set(session, peer);
    return peer;
  };
  const status = (session: string, payload: object): void => intake.take(peerOf(session).write(payload));
  /** Bytes that are no envelope. */
  const say = (subject: string): void => intake.take({ subject, data: utf8('x') });
  const only = () => directory.list().sessions[0];
  return { acme, clock, directory, status, say, only };
}

describe('session directory', () => {
  it('knows a session from its first message, its peer from the swarm, and its rate from the last second', () => {
    const { clock, status, directory, only } = setUp();
    directory.register('s1-e', 'peer-of-s1-e');
    for (let index = 0; index < 10; index++) status('s1-e', { state: 'heartbeat' });
    clock.advance(1000);
    expect(only()).toMatchObject({ peer: 'peer-of-s1-e', state: 'live', messageCount: 10, perSecond: 10 });
    expect(directory.peerOf('s1-e')).toBe('peer-of-s1-e');
    clock.advance(1000);
    expect(only()?.perSecond).toBe(0);
  });

  it('says what its last status said, and is not moved by one that does not decode', () => {
    const { say, status, only } = setUp();
    status('s1-e', { state: 'failed', taskId: 't', detail: { reason: 'boom', exitCode: 3 } });
    expect(only()?.note).toBe('failed: boom');
    say('vak.events.acme.s1-e.status');
    status('s1-e', { state: 'of no schema' });
    status('s1-e', { state: 'heartbeat' });
    expect(only()?.note).toBe('failed: boom');
    expect(only()?.state).toBe('live');
    status('s1-e', { state: 'failed', taskId: 't', detail: { reason: 'cancelled', cause: 'cancelled', exitCode: 3 } });
    expect(only()?.note).toBe('cancelled');
  });

  it('is stale after 15 s of silence, live again at the next word, and ended for good', () => {
    const { clock, status, only, directory } = setUp();
    status('s1-e', { state: 'started' });
    clock.advance(15_000);
    expect(only()?.state).toBe('live');
    clock.advance(1);
    expect(only()?.state).toBe('stale');
    status('s1-e', { state: 'heartbeat' });
    expect(only()?.state).toBe('live');
    status('s1-e', { state: 'ended', taskId: 't' });
    expect(only()?.state).toBe('live');
    directory.end('s1-e', 'killed by SIGKILL');
    status('s1-e', { state: 'ended' });
    expect(only()).toMatchObject({ state: 'ended', note: 'killed by SIGKILL' });
  });

  it('P14 a heartbeat of a session whose peer is known is counted, and its signature is not asked for', () => {
    const { acme, status, only } = setUp();
    status('s1-e', { state: 'started', detail: { reason: 'ready' } });
    const before = acme.checkedCount;
    for (let index = 0; index < 15; index++) status('s1-e', { state: 'heartbeat' });
    expect(acme.checkedCount).toBe(before);
    expect(only()).toMatchObject({ messageCount: 16, note: 'started: ready', state: 'live', peer: 'peer-of-s1-e' });
    status('s1-e', { state: 'done' });
    expect(acme.checkedCount).toBeGreaterThan(before);
    expect(only()?.note).toBe('done');
  });

  it('P14 the first heartbeat of a session that was joined late says whose it is', () => {
    const { acme, directory, only } = setUp();
    const peer = acme.peer('w1');
    acme.intake.take(peer.write({ channel: 'assistant', index: 0, text: 'x' }, 'tokens'));
    expect(only()?.peer).toBeNull();
    acme.intake.take(peer.write({ state: 'heartbeat' }));
    expect(directory.peerOf('w1-1-e')).toBe('w1');
  });

  it('forgets the quietest beyond its bound, and counts it', () => {
    const { clock, acme, directory } = setUp();
    const peer = (index: number | string) => acme.peer('w1', { key: 5, session: `s${index}-e` });
    const kept = peer(0);
    acme.intake.take(kept.write({ state: 'started' }));
    for (let index = 1; index < maxSessions; index++) {
      acme.intake.take(peer(index).write({ state: 'started' }));
      clock.advance(1);
    }
    acme.intake.take(kept.write({ state: 'heartbeat' }));
    acme.intake.take(peer('new').write({ state: 'started' }));
    const { sessions, forgottenCount } = directory.list();
    expect(sessions).toHaveLength(maxSessions);
    expect(forgottenCount).toBe(1);
    expect(sessions.some(({ session }) => session === 's1-e')).toBe(false);
    expect(sessions.some(({ session }) => session === 's0-e')).toBe(true);
  });

  it('E8 noise brings no session into the list, counts for none, and makes no stale one live', () => {
    const { clock, acme, say, status, directory, only } = setUp();
    status('s1-e', { state: 'started' });
    clock.advance(60_000);
    for (let index = 0; index < 3000; index++) say(`vak.events.acme.g${index}.tokens`);
    say('vak.events.acme.s1-e.tokens');
    acme.intake.take(acme.peer('w7', { session: 'w7-1-e', isGranted: false }).write({ state: 'started' }));
    expect(directory.list()).toMatchObject({ forgottenCount: 0 });
    expect(directory.list().sessions).toHaveLength(1);
    expect(only()).toMatchObject({ state: 'stale', messageCount: 1 });
  });

  it('E23 a session whose peer comes to be known later is there with all that it said, each counted once', () => {
    const { acme, directory, only } = setUp();
    const peer = acme.peer('w1', { key: 7, isGranted: false });
    for (const state of ['started', 'progress', 'heartbeat', 'failed'])
      acme.intake.take(peer.write({ state, detail: { reason: state } }));
    acme.intake.take(peer.write({ channel: 'assistant', index: 0, text: 'x' }, 'tokens'));
    expect(directory.list().sessions).toEqual([]);
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(only()).toMatchObject({ session: 'w1-1-e', peer: 'w1', messageCount: 5, note: 'failed: failed' });
    expect(directory.peerOf('w1-1-e')).toBe('w1');
  });

  it('E23 of a session that was named before, what is judged sound later counts once, too', () => {
    const { acme, directory, only } = setUp();
    directory.register('w1-1-e', 'w1');
    const peer = acme.peer('w1', { key: 7, isGranted: false });
    for (const state of ['started', 'done']) acme.intake.take(peer.write({ state }));
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(only()).toMatchObject({ messageCount: 2, note: 'done' });
  });

  it('E23 a status that opens late does not replace a newer one', () => {
    const { acme, only } = setUp();
    const peer = acme.peer('w1', { key: 7 });
    const known = acme.secrets ?? [];
    const added = {
      ...known[0],
      id: 's2',
      secret: createSecret(utf8('another secret of acme')),
    } as WorkspaceSecretEntry;
    acme.secrets = [...known, added];
    const sealedAnew = peer.write({ state: 'progress', detail: { reason: 'older' } });
    acme.secrets = known;
    acme.intake.take(sealedAnew);
    acme.intake.take(peer.write({ state: 'done', detail: { reason: 'newer' } }));
    expect(only()?.note).toBe('done: newer');
    acme.secrets = [...known, added];
    acme.learn();
    acme.clock.runDeferred();
    expect(acme.quarantine.state().refusedCount).toBe(0);
    expect(only()).toMatchObject({ note: 'done: newer', messageCount: 2 });
  });

  it('hears its own workspace alone, and nothing once it is disposed', () => {
    const { clock, say, status, directory } = setUp();
    say('vak.events.other.s1.tokens');
    expect(directory.list().sessions).toEqual([]);
    directory.dispose();
    status('s1-e', { state: 'started' });
    expect(directory.list().sessions).toEqual([]);
    expect(clock.timerCount).toBe(0);
  });

  it('E8 is not moved by a status that is refused: plain, forged, or said again', () => {
    const { acme, status, only } = setUp();
    status('s1-e', { state: 'started', detail: { reason: 'ready' } });
    const plain = acme.peer('w9', { session: 's1-e', isSealing: false }).write({ state: 'ended' });
    acme.intake.take(plain);
    acme.intake.take(acme.peer('peer-of-s1-e', { session: 's1-e', key: 99 }).write({ state: 'ended' }));
    expect(only()).toMatchObject({ note: 'started: ready', state: 'live', peer: 'peer-of-s1-e' });
    expect(acme.quarantine.state().refusedCount).toBe(2);
  });

  it('I3 what came while the keys were away is read when they are there again, past any number of heartbeats', () => {
    const { acme, status, directory, only } = setUp();
    status('s1-e', { state: 'started', detail: { reason: 'ready' } });
    const { secrets, intake } = acme;
    const peer = acme.peer('peer-of-s2-e', { session: 's2-e' });
    const other = acme.peer('w9', { session: 's2-e' });
    const sent = [
      peer.write({ state: 'claimed', taskId: 't' }),
      peer.write({ state: 'failed', taskId: 't' }),
      ...Array.from({ length: 30 }, () => peer.write({ state: 'heartbeat' })),
      other.write({ state: 'ended' }),
    ];
    acme.secrets = undefined;
    for (const one of sent) intake.take(one);
    expect(directory.list().sessions[1]).toMatchObject({ session: 's2-e', note: '', messageCount: 33 });
    directory.readWaiting();
    expect(directory.list().sessions[1]?.note).toBe('');
    acme.secrets = secrets;
    directory.readWaiting();
    expect(directory.list().sessions[1]).toMatchObject({ note: 'failed', peer: 'peer-of-s2-e', state: 'live' });
    expect(only()?.note).toBe('started: ready');
    const checkedCount = acme.checkedCount;
    directory.readWaiting();
    expect(acme.checkedCount).toBe(checkedCount);
  });
});
