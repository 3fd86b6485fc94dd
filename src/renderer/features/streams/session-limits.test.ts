import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import { whyNoCancel, whyNoKill } from './session-limits.ts';

const summary = (state: SessionSummary['state'], peer: string | null = 'builder') =>
  ({ state, peer }) as SessionSummary;
const task = { taskId: 't', command: ['ls'] } as unknown as NonNullable<WorkerSummary['task']>;
const worker = (fields: Partial<WorkerSummary>) => ({ pid: 7, state: 'busy', task: null, ...fields }) as WorkerSummary;
const readOnly = undefined;

describe('what can be done to a session', () => {
  it.each(['live', 'stale'] as const)(
    'A2 a %s worker from outside is asked by name to end its command, and its process is not ours',
    (state) => {
      const facts = { summary: summary(state), worker: undefined, readOnly };
      expect(whyNoCancel(facts)).toBeUndefined();
      expect(whyNoKill(facts)).toContain('was not started by this app');
      expect(whyNoKill(facts)).toContain('where it was started');
    },
  );

  it('A2 nobody is asked whose name is not known, or through a read-only connection', () => {
    const unknown = { summary: summary('live', null), worker: undefined, readOnly };
    expect(whyNoCancel(unknown)).toContain('nobody has said yet');
    expect(whyNoCancel({ summary: undefined, worker: undefined, readOnly })).toContain('nobody has said yet');
    const why = 'the connection prod is read-only';
    expect(whyNoCancel({ summary: summary('live'), worker: undefined, readOnly: why })).toBe(why);
    const own = { summary: summary('live'), worker: worker({ task }), readOnly: why };
    expect([whyNoCancel(own), whyNoKill(own)]).toEqual([why, undefined]);
  });

  it('a session that is over has nothing to end, whoever ran it', () => {
    const facts = { summary: summary('ended'), worker: undefined, readOnly };
    expect([whyNoCancel(facts), whyNoKill(facts)]).toEqual(['this session has ended', 'this session has ended']);
  });

  it('a worker of this app can be cancelled while it runs a command, and killed while it lives', () => {
    const busy = { summary: summary('live'), worker: worker({ task }), readOnly };
    expect([whyNoCancel(busy), whyNoKill(busy)]).toEqual([undefined, undefined]);
    const idle = { summary: summary('live'), worker: worker({}), readOnly };
    expect([whyNoCancel(idle), whyNoKill(idle)]).toEqual(['no command is running', undefined]);
    const gone = { summary: summary('ended'), worker: worker({ state: 'dead', pid: null }), readOnly };
    expect(whyNoKill(gone)).toBe('its process has ended already');
  });
});
