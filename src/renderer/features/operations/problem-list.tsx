/** "What is wrong now": one line a problem, or one line that says that there is none. */
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { showQuarantine } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { formatRelative, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import type { Problem } from './problems.ts';
import './problem-list.css';

const buttonWords: Readonly<Record<Problem['place'], string>> = {
  session: 'Open its session',
  streams: 'Open Streams',
  quarantine: 'Show them',
  connections: 'Open the connections',
};

function ProblemLine({ problem, nowMs }: { readonly problem: Problem; readonly nowMs: number }) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const Icon = problem.tone === 'bad' ? CircleX : TriangleAlert;
  const { id, session, atMs, place } = problem;
  const open = (): void => {
    if (place === 'quarantine') showQuarantine(view);
    else if (place === 'connections') view.setState({ view: 'settings' });
    else view.setState({ view: 'streams', selectedSession: session });
  };
  return (
    <li className={`problem problem-${problem.tone}`} data-testid="problem" data-problem={problem.id}>
      <Icon className="problem-icon" aria-hidden="true" />
      <div className="problem-text">
        <p className="problem-title">{problem.title}</p>
        <p className="dim">{problem.why}</p>
      </div>
      {atMs !== null && (
        <p className="problem-time dim">
          {id === 'connection' && 'since '}
          {formatTimeOfDay(atMs, zone)} {formatZone(zone, atMs)} · {formatRelative(atMs, nowMs)}
        </p>
      )}
      <Button onClick={open}>{buttonWords[place]}</Button>
    </li>
  );
}

export function ProblemList({ problems }: { readonly problems: readonly Problem[] }) {
  const nowMs = useNow();
  if (problems.length === 0) {
    return (
      <p className="problem-none">
        <CircleCheck aria-hidden="true" />
        No worker has died, and no message was refused or dropped.
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
