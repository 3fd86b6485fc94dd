/** "What is wrong now": one line a problem, or one line that says that there is none. */
import { Check, CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import { showConnections, showGap, showQuarantine, showSession } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { formatRelative, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import type { Problem } from './problems.ts';
import './problem-list.css';

const buttonWords: Readonly<Record<Problem['place'], string>> = {
  session: 'Open its session',
  dropped: 'Show the gap',
  outage: 'Show the gap',
  quarantine: 'Show them',
  connections: 'Open the connections',
};

/** Leads to what a problem speaks of. */
function openPlace(view: Workbench['view'], { place, session }: Problem): void {
  if (place === 'quarantine') showQuarantine(view);
  else if (place === 'connections') showConnections(view);
  else if (place !== 'session') showGap(view, place);
  else if (session !== null) showSession(view, session);
}

interface ProblemLineProps {
  readonly problem: Problem;
  readonly nowMs: number;
  readonly onAcknowledge: (id: string) => void;
}

function ProblemLine({ problem, nowMs, onAcknowledge }: ProblemLineProps) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const Icon = problem.tone === 'bad' ? CircleX : TriangleAlert;
  const { id, atMs, place, lasting } = problem;
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
      <Button onClick={() => openPlace(view, problem)} data-testid="problem-open">
        {buttonWords[place]}
      </Button>
      {lasting.kind === 'event' ? (
        <Button
          icon={Check}
          keys="a"
          aria-label={`Acknowledge: ${problem.title}`}
          onClick={() => onAcknowledge(id)}
          data-testid="problem-acknowledge"
        >
          Acknowledge
        </Button>
      ) : (
        <p className="problem-stands dim">{lasting.until}</p>
      )}
    </li>
  );
}

export interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly onAcknowledge: (id: string) => void;
  /** How many were acknowledged and are not listed. */
  readonly acknowledgedCount: number;
}

export function ProblemList({ problems, onAcknowledge, acknowledgedCount }: ProblemListProps) {
  const nowMs = useNow();
  if (problems.length === 0) {
    return (
      <p className="problem-none">
        <CircleCheck aria-hidden="true" />
        {acknowledgedCount === 0
          ? 'No worker has died, and no message was refused or dropped.'
          : 'Nothing else has happened since.'}
      </p>
    );
  }
  return (
    <ul className="problem-list">
      {problems.map((problem) => (
        <ProblemLine key={problem.id} problem={problem} nowMs={nowMs} onAcknowledge={onAcknowledge} />
      ))}
    </ul>
  );
}
