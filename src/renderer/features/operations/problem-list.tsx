/** "What is wrong now": one line a problem, or one line that says that there is none. */
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { formatRelative, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import type { Problem } from './problems.ts';
import './problem-list.css';

function ProblemLine({ problem, nowMs }: { readonly problem: Problem; readonly nowMs: number }) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const Icon = problem.tone === 'bad' ? CircleX : TriangleAlert;
  const { session, atMs } = problem;
  return (
    <li className={`problem problem-${problem.tone}`}>
      <Icon className="problem-icon" aria-hidden="true" />
      <div className="problem-text">
        <p className="problem-title">{problem.title}</p>
        <p className="dim">{problem.why}</p>
      </div>
      {atMs !== null && (
        <p className="problem-time dim">
          {formatTimeOfDay(atMs, zone)} {formatZone(zone, atMs)} · {formatRelative(atMs, nowMs)}
        </p>
      )}
      <Button onClick={() => view.setState({ view: 'streams', selectedSession: session })}>
        {session === null ? 'Open Streams' : 'Open its session'}
      </Button>
    </li>
  );
}

export function ProblemList({ problems }: { readonly problems: readonly Problem[] }) {
  const nowMs = useNow();
  if (problems.length === 0) {
    return (
      <p className="problem-none">
        <CircleCheck aria-hidden="true" />
        No worker has died and no message was dropped.
      </p>
    );
  }
  return (
    <ul className="problem-list">
      {problems.map((problem) => (
        <ProblemLine key={problem.id} problem={problem} nowMs={nowMs} />
      ))}
    </ul>
  );
}
