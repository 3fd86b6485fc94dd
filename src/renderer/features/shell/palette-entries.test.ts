import { describe, expect, it } from 'vitest';
import { queueState } from '../../../../tests/support/queue-states.ts';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import { findQueues, findSessions, groupActions, paletteScore } from './palette-entries.ts';

const action = (id: string, group: string) => ({ id, title: id, group, run: () => {} });

function session(name: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session: name,
    peer: null,
    state: 'live',
    firstSeenMs: 0,
    lastSeenMs: 0,
    messageCount: 1,
    perSecond: 0,
    note: '',
    ...more,
  } as SessionSummary;
}

describe('what was typed', () => {
  it('finds parts and first letters of a title, and nothing that only has its letters', () => {
    const score = (search: string, id: string, title: string) => paletteScore(id, search, [title, 'Streams']);
    expect(score('tamper', 'developer.tamper.plain', 'Inject a tampered message: sent plain')).toBeGreaterThan(0.5);
    expect(score('tamper', 'streams.togglePause', 'Pause or resume the table')).toBe(0);
    expect(score('tampered', 'streams.pageDown', 'One screen down')).toBe(0);
    expect(score('gts', 'view.streams', 'Go to Streams')).toBeGreaterThan(0.5);
  });
});

describe('groups of actions', () => {
  it('the view’s own come first and the frame’s last, the others in order of registration', () => {
    const groups = groupActions(
      [
        action('d', 'Developer'),
        action('go', 'Go to'),
        action('s1', 'Streams'),
        action('w', 'Swarm'),
        action('v', 'Queues'),
        action('s2', 'Streams'),
      ],
      'Queues',
    );
    expect(groups.map(([name, actions]) => [name, actions.map(({ id }) => id)])).toEqual([
      ['Queues', ['v']],
      ['Streams', ['s1', 's2']],
      ['Swarm', ['w']],
      ['Go to', ['go']],
      ['Developer', ['d']],
    ]);
  });
});

describe('sessions', () => {
  it('finds by name or peer, whatever the case', () => {
    const all = [session('r-7f3', { peer: 'Render-7' }), session('a-19c', { peer: 'director' }), session('lonely')];
    expect(findSessions(all, 'RENDER').map((one) => one.session)).toEqual(['r-7f3']);
    expect(findSessions(all, ' 19C ').map((one) => one.session)).toEqual(['a-19c']);
  });

  it('shows live ones first, then the last heard', () => {
    const all = [
      session('ended', { state: 'ended', lastSeenMs: 9 }),
      session('old', { lastSeenMs: 1 }),
      session('stale', { state: 'stale', lastSeenMs: 8 }),
      session('new', { lastSeenMs: 5 }),
    ];
    expect(findSessions(all, '').map((one) => one.session)).toEqual(['new', 'old', 'stale', 'ended']);
  });

  it('stays short whatever there is', () => {
    const all = Array.from({ length: 2000 }, (_, index) => session(`s-${index}`));
    expect(findSessions(all, '')).toHaveLength(5);
    expect(findSessions(all, 's-')).toHaveLength(30);
  });
});

describe('queues', () => {
  it('shows those that are amiss first, the others by name, and stays short', () => {
    const all = [
      queueState('a-idle'),
      queueState('b-lost', { health: 'no-consumer' }),
      queueState('c-stuck', { health: 'stuck' }),
      queueState('d-idle'),
    ];
    expect(findQueues(all, '').map(({ queue }) => queue)).toEqual(['c-stuck', 'b-lost', 'a-idle', 'd-idle']);
    expect(findQueues(all, ' IDLE ').map(({ queue }) => queue)).toEqual(['a-idle', 'd-idle']);
    const many = Array.from({ length: 200 }, (_, index) => queueState(`q-${index}`));
    expect([findQueues(many, ''), findQueues(many, 'q-')].map(({ length }) => length)).toEqual([5, 30]);
  });
});
