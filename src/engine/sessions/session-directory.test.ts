import { describe, expect, it } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSubjectReader } from '../feeds/subject-reader.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSessionDirectory, maxSessions } from './session-directory.ts';

function setUp() {
  const clock = createFakeClock();
  const bus = createMemoryBus({ clock, logger: createSilentLogger() });
  const directory = createSessionDirectory({
    bus,
    clock,
    reader: createSubjectReader(),
    workspace: 'ws',
    onChange: () => {},
  });
  const status = (session: string, payload: unknown): void =>
    bus.publish(`vak.events.ws.${session}.status`, utf8(JSON.stringify(payload)));
  const only = () => directory.list().sessions[0];
  return { clock, bus, directory, status, only };
}

describe('session directory', () => {
  it('knows a session from its first message, its peer from the swarm, and its rate from the last second', () => {
    const { clock, bus, directory, only } = setUp();
    for (let index = 0; index < 10; index++) bus.publish('vak.events.ws.s1.tokens', utf8('x'));
    directory.register('s1', 'worker-1');
    clock.advance(1000);
    expect(only()).toMatchObject({ session: 's1', peer: 'worker-1', state: 'live', messageCount: 10, perSecond: 10 });
    expect(directory.peerOf('s1')).toBe('worker-1');
    clock.advance(1000);
    expect(only()?.perSecond).toBe(0);
  });

  it('says what its last status said, and is not moved by one that does not decode', () => {
    const { clock, bus, status, only } = setUp();
    status('s1', { state: 'failed', taskId: 't', detail: { reason: 'boom', exitCode: 3 } });
    clock.runDeferred();
    expect(only()?.note).toBe('failed: boom');
    bus.publish('vak.events.ws.s1.status', utf8('{'));
    status('s1', { state: 'heartbeat' });
    clock.runDeferred();
    expect(only()?.note).toBe('failed: boom');
    expect(only()?.state).toBe('live');
  });

  it('is stale after 15 s of silence, live again at the next word, and ended for good', () => {
    const { clock, status, only, directory } = setUp();
    status('s1', { state: 'started' });
    clock.advance(15_000);
    expect(only()?.state).toBe('live');
    clock.advance(1);
    expect(only()?.state).toBe('stale');
    status('s1', { state: 'heartbeat' });
    expect(only()?.state).toBe('live');
    status('s1', { state: 'ended', taskId: 't' });
    clock.runDeferred();
    expect(only()?.state).toBe('live');
    directory.end('s1', 'killed by SIGKILL');
    status('s1', { state: 'ended' });
    clock.runDeferred();
    expect(only()).toMatchObject({ state: 'ended', note: 'killed by SIGKILL' });
  });

  it('forgets the quietest beyond its bound, and counts it', () => {
    const { clock, bus, directory } = setUp();
    for (let index = 0; index < maxSessions; index++) {
      bus.publish(`vak.events.ws.s${index}.tokens`, utf8('x'));
      clock.advance(1);
    }
    bus.publish('vak.events.ws.s0.tokens', utf8('x'));
    bus.publish('vak.events.ws.new.tokens', utf8('x'));
    const { sessions, forgottenCount } = directory.list();
    expect(sessions).toHaveLength(maxSessions);
    expect(forgottenCount).toBe(1);
    expect(sessions.some(({ session }) => session === 's1')).toBe(false);
    expect(sessions.some(({ session }) => session === 's0')).toBe(true);
  });

  it('hears its own workspace alone, and nothing once it is disposed', () => {
    const { clock, bus, directory } = setUp();
    bus.publish('vak.events.other.s1.tokens', utf8('x'));
    expect(directory.list().sessions).toEqual([]);
    directory.dispose();
    bus.publish('vak.events.ws.s1.tokens', utf8('x'));
    expect(directory.list().sessions).toEqual([]);
    expect(clock.timerCount).toBe(0);
    expect(bus.metrics().subscriptions).toEqual([]);
  });
});
