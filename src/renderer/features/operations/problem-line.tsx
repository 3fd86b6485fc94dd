/** One line of what is wrong: what, why, what next, since when, and what can be done about it. */
import { Check, CircleX, RotateCcw, TriangleAlert } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { formatDateTime, formatRelative, formatTimeOfDay, formatZone, type Zone } from '../../ui/format.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { MuteMenu } from './mute-menu.tsx';
import { openPlace, placeWord } from './problem-places.ts';
import type { Problem } from './problems.ts';

const dayMs = 86_400_000;

/** The time of day, with the day if it was another one. */
function momentOf(ms: number, nowMs: number, zone: Zone): string {
  const isRecent = Math.abs(nowMs - ms) < dayMs / 2;
  return isRecent ? `${formatTimeOfDay(ms, zone)} ${formatZone(zone, ms)}` : formatDateTime(ms, zone).slice(0, 16);
}

function ProblemTime({ problem, nowMs }: { readonly problem: Problem; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { atMs, firstMs, lasting } = problem;
  if (atMs === null) return <p className="problem-time" />;
  const first = firstMs !== null && firstMs < atMs ? `first ${formatRelative(firstMs, nowMs)}` : '';
  return (
    <p className="problem-time dim" title={formatDateTime(atMs, zone)}>
      <span>
        {lasting.kind === 'standing' && 'since '}
        {momentOf(atMs, nowMs, zone)}
      </span>
      <span>
        {formatRelative(atMs, nowMs)}
        {first !== '' && ` · ${first}`}
      </span>
    </p>
  );
}

interface ActProps {
  readonly problem: Problem;
  readonly isAcknowledged: boolean;
  readonly onAcknowledge: (id: string) => void;
  readonly onTakeBack: (id: string) => void;
}

function Act({ problem, isAcknowledged, onAcknowledge, onTakeBack }: ActProps) {
  const { id, title, lasting } = problem;
  if (isAcknowledged) {
    return (
      <Button
        icon={RotateCcw}
        aria-label={`Open again: ${title}`}
        onClick={() => onTakeBack(id)}
        data-testid="problem-take-back"
      >
        Open again
      </Button>
    );
  }
  if (lasting.kind === 'standing') return <p className="problem-stands dim">{lasting.until}</p>;
  return (
    <Button
      icon={Check}
      keys="a"
      aria-label={`Acknowledge: ${title}`}
      onClick={() => onAcknowledge(id)}
      data-testid="problem-acknowledge"
    >
      Acknowledge
    </Button>
  );
}

export interface ProblemLineProps extends ActProps {
  readonly nowMs: number;
}

export function ProblemLine(props: ProblemLineProps) {
  const { problem, nowMs, isAcknowledged } = props;
  const { view } = useWorkbench();
  const { id, tone, title, why, next, place, incident } = problem;
  const Icon = tone === 'bad' ? CircleX : TriangleAlert;
  const word = placeWord(place);
  return (
    <li
      className={`problem problem-${tone}`}
      data-testid="problem"
      data-problem={id}
      data-acknowledged={isAcknowledged}
      data-muted={incident?.isMuted === true}
    >
      <Icon className="problem-icon" aria-label={tone === 'bad' ? 'Failed' : 'Waits'} role="img" />
      <div className="problem-text">
        <p className="problem-title">{title}</p>
        <p className="dim">
          {why}
          {next !== null && <span className="problem-next"> {next}</span>}
        </p>
      </div>
      <ProblemTime problem={problem} nowMs={nowMs} />
      <div className="problem-place">
        {word !== undefined && (
          <Button onClick={() => openPlace(view, place)} data-testid="problem-open">
            {word}
          </Button>
        )}
      </div>
      <div className="problem-act">
        <Act {...props} />
      </div>
      <div className="problem-mute">{incident !== null && <MuteMenu incident={incident} />}</div>
    </li>
  );
}
