import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import { whyNoCancel, whyNoKill } from './session-limits.ts';

const summary = (state: SessionSummary['state']) => ({ state }) as SessionSummary;
const task = { taskId: 't', command: ['ls'] } as unknown as NonNullable<WorkerSummary['task']>;
const worker = (fields: Partial<WorkerSummary>) => ({ pid: 7, state: 'busy', task: null, ...fields }) as WorkerSummary;

describe('what can be done to a session', () => {
  it.each(['live', 'stale'] as const)(
    'A2 a %s worker from outside takes no commands: that is said, not that it runs none',
    (state) => {
      const facts = { summary: summary(state), worker: undefined };
      expect(whyNoCancel(facts)).toContain('was not started by this app and takes no commands from here');
      expect(whyNoKill(facts)).toContain('was not started by this app');
      for (const why of [whyNoCancel(facts), whyNoKill(facts)]) expect(why).toContain('where it was started');
    },
  );

  it('a session that is over has nothing to end, whoever ran it', () => {
    const facts = { summary: summary('ended'), worker: undefined };
    expect([whyNoCancel(facts), whyNoKill(facts)]).toEqual(['this session has ended', 'this session has ended']);
  });

  it('a worker of this app can be cancelled while it runs a command, and killed while it lives', () => {
    const busy = { summary: summary('live'), worker: worker({ task }) };
    expect([whyNoCancel(busy), whyNoKill(busy)]).toEqual([undefined, undefined]);
    const idle = { summary: summary('live'), worker: worker({}) };
    expect([whyNoCancel(idle), whyNoKill(idle)]).toEqual(['no command is running', undefined]);
    const gone = { summary: summary('ended'), worker: worker({ state: 'dead', pid: null }) };
    expect(whyNoKill(gone)).toBe('its process has ended already');
  });
});
