import { describe, expect, it } from 'vitest';
import { createTaskLog, rowsOfEnded } from './task-log.ts';

const change = (state: 'claimed' | 'done' | 'failed', taskId: string) => ({
  ...{ state, taskId, exitCode: undefined, signal: undefined, reason: undefined, cause: undefined },
});

describe('task log', () => {
  it('a session whose process is gone has no running task: what it had begun has failed, with the cause', () => {
    const log = createTaskLog();
    log.add(change('claimed', 'first'), 1000);
    log.add(change('done', 'first'), 2000);
    log.add(change('claimed', 'second'), 3000);
    const rows = rowsOfEnded(log.rows, { reason: 'worker died: killed by SIGKILL', atMs: 4000 });
    expect(rows.map(({ taskId, state, endedMs }) => [taskId, state, endedMs])).toEqual([
      ['second', 'failed', 4000],
      ['first', 'done', 2000],
    ]);
    expect(rows[0]?.reason).toBe('worker died: killed by SIGKILL');
    expect(log.rows[0]?.state).toBe('running');
  });

  it('a command that somebody cancelled is no failure, whatever else its end says', () => {
    const log = createTaskLog();
    log.add(
      {
        ...change('failed', 'first'),
        reason: 'cancelled; 2 processes that it left behind were ended',
        cause: 'cancelled',
      },
      1,
    );
    log.add({ ...change('failed', 'second'), reason: 'cancelled', cause: 'timeout' }, 2);
    expect(log.rows.map(({ taskId, state }) => [taskId, state])).toEqual([
      ['second', 'failed'],
      ['first', 'cancelled'],
    ]);
  });

  it('a task keeps the name of its command after its end, and has none if its beginning left the buffer', () => {
    const log = createTaskLog();
    log.add({ ...change('claimed', 'first'), reason: 'sample: build' }, 1000);
    log.add({ ...change('done', 'first'), reason: 'exit code 0' }, 2000);
    log.add({ ...change('done', 'second'), reason: 'exit code 0' }, 3000);
    expect(log.rows.map(({ taskId, title, reason }) => [taskId, title, reason])).toEqual([
      ['second', undefined, 'exit code 0'],
      ['first', 'sample: build', 'exit code 0'],
    ]);
  });
});
