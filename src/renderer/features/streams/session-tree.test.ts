import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import { createSessionOrder } from './session-order.ts';
import { sessionTree, type TreeNode } from './session-tree.ts';
import { shortSubject } from './short-subject.ts';

function session(name: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session: name,
    peer: `peer-${name}`,
    state: 'live',
    firstSeenMs: 0,
    lastSeenMs: 0,
    messageCount: 0,
    perSecond: 2,
    note: '',
    ...over,
  };
}

const build = (sessions: readonly SessionSummary[], filter = '', collapsed: readonly string[] = []) =>
  sessionTree({
    ...{ sessions: createSessionOrder()(sessions), workspace: 'default', filter },
    ...{ collapsed: new Set(collapsed), allPerSecond: 9 },
  });
const ids = (rows: readonly TreeNode[]): readonly string[] => rows.map((row) => row.id);

describe('session tree', () => {
  const sessions = [
    session('10'),
    session('9'),
    session('e', { state: 'ended', perSecond: 0, note: 'exit code 3' }),
    session('s', { state: 'stale' }),
  ];

  it('groups live and ended, in an order that does not depend on the bus', () => {
    const rows = build(sessions);
    expect(ids(rows)).toEqual([
      'all',
      'workspace',
      'live',
      'session:9',
      'session:10',
      'session:s',
      'ended',
      'session:e',
    ]);
    expect(ids(build([...sessions].reverse()))).toEqual(ids(rows));
    expect(rows[2]).toMatchObject({ sessionCount: 3, perSecond: 6, position: 1, siblings: 2, isExpanded: true });
    expect(rows[5]).toMatchObject({ level: 3, position: 3, siblings: 3 });
  });

  it('hides what is collapsed and groups that are empty', () => {
    expect(ids(build(sessions, '', ['live']))).toEqual(['all', 'workspace', 'live', 'ended', 'session:e']);
    expect(ids(build(sessions, '', ['workspace']))).toEqual(['all', 'workspace']);
    expect(ids(build([]))).toEqual(['all', 'workspace']);
  });

  it('filters by peer, session and note', () => {
    expect(ids(build(sessions, ' PEER-9 '))).toEqual(['all', 'workspace', 'live', 'session:9']);
    expect(ids(build(sessions, 'code 3'))).toEqual(['all', 'workspace', 'ended', 'session:e']);
    expect(ids(build(sessions, 'nobody'))).toEqual(['all', 'workspace']);
  });
});

describe('short subject', () => {
  it('leaves out vak. and the own workspace only', () => {
    expect(shortSubject('vak.events.default.r-7f3.terminal', 'default')).toBe('events.r-7f3.terminal');
    expect(shortSubject('vak.events.other.r-7f3.terminal', 'default')).toBe('vak.events.other.r-7f3.terminal');
    expect(shortSubject('vak.events.defaulted.x', 'default')).toBe('vak.events.defaulted.x');
    expect(shortSubject('foreign.subject', 'default')).toBe('foreign.subject');
    expect(shortSubject('vak.events', 'default')).toBe('vak.events');
    expect(shortSubject('vak.events.default.a.b', undefined)).toBe('vak.events.default.a.b');
  });
});
