/** The tasks of a session, newest first: how each ended, why, how long it took. */
import { ChartGantt, CircleCheck, CircleStop, CircleX, LoaderCircle } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { showTraceOf } from '../../state/view-store.ts';
import { formatCount, formatDuration, shortenId } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useWorkbench } from '../../workbench.tsx';
import type { TaskRow } from './task-log.ts';

const icons = { running: LoaderCircle, done: CircleCheck, failed: CircleX, cancelled: CircleStop } as const;

function outcomeOf({ state, exitCode, signal, reason }: TaskRow): string {
  const parts = [exitCode === undefined ? undefined : `exit code ${exitCode}`, signal, reason].filter(
    (part): part is string => part !== undefined && part !== '',
  );
  return visibleText(parts.length === 0 ? state : [...new Set(parts)].join(' · '));
}

/** What was run; its id where the beginning left the buffer. */
function titleOf({ title, taskId }: TaskRow): string {
  return title === undefined ? shortenId(taskId, 10) : visibleText(title);
}

function durationOf({ startedMs, endedMs, state }: TaskRow): string {
  if (startedMs === null || endedMs === null) return state === 'running' ? '' : '–';
  return formatDuration(endedMs - startedMs);
}

export interface SessionTasksProps {
  readonly tasks: readonly TaskRow[];
  readonly forgottenCount: number;
}

export function SessionTasks({ tasks, forgottenCount }: SessionTasksProps) {
  const { view } = useWorkbench();
  if (tasks.length === 0) return <p className="session-hint dim">No task of this session is in the buffer.</p>;
  return (
    <ul className="session-tasks" data-testid="session-tasks">
      {tasks.map((task) => {
        const Icon = icons[task.state];
        return (
          <li key={task.taskId} className={`session-task session-task-${task.state}`} data-state={task.state}>
            <Icon size={14} aria-hidden="true" />
            <span className="session-task-state">{task.state}</span>
            <span className="data session-task-title" title={`${titleOf(task)} · ${task.taskId}`}>
              {titleOf(task)}
            </span>
            <span className="session-task-outcome" title={outcomeOf(task)}>
              {task.state === 'running' ? '' : outcomeOf(task)}
            </span>
            <span className="data dim">{durationOf(task)}</span>
            <IconButton
              icon={ChartGantt}
              label={`Show the trace of ${titleOf(task)}`}
              onClick={() => showTraceOf(view, task.taskId)}
            />
          </li>
        );
      })}
      {forgottenCount > 0 && (
        <li className="session-hint dim">{formatCount(forgottenCount)} older tasks are no longer listed.</li>
      )}
    </ul>
  );
}
