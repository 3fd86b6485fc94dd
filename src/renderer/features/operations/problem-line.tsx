/** One line of what is wrong: what, why, what next, since when, and what can be done about it. */
import { Check, ChevronDown, ChevronRight, CircleX, RotateCcw, TriangleAlert } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import {
  formatCount,
  formatDateTime,
  formatRelative,
  formatTimeOfDay,
  formatZone,
  type Zone,
} from '../../ui/format.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { MuteMenu } from './mute-menu.tsx';
import type { ProblemEntry } from './problem-groups.ts';
import { ProblemMembers } from './problem-members.tsx';
import { openPlace, placeWord } from './problem-places.ts';
import { ProblemRecords } from './problem-records.tsx';
import type { Problem } from './problems.ts';

const dayMs = 86_400_000;

/** The time of day, with the day if it was another one. */
function momentOf(ms: number, nowMs: number, zone: Zone): string {
  const isRecent = Math.abs(nowMs - ms) < dayMs / 2;
  return isRecent ? `${formatTimeOfDay(ms, zone)} ${formatZone(zone, ms)}` : formatDateTime(ms, zone).slice(0, 16);
}

interface TimeProps {
  readonly problem: Problem;
  readonly nowMs: number;
  readonly isGroup: boolean;
}

function ProblemTime({ problem, nowMs, isGroup }: TimeProps) {
  const zone = useViewState((state) => state.timeZone);
  const { atMs, firstMs, lasting } = problem;
  if (atMs === null) return <p className="problem-time" />;
  const first = firstMs !== null && firstMs < atMs ? `first ${formatRelative(firstMs, nowMs)}` : '';
  return (
    <p className="problem-time dim" title={formatDateTime(atMs, zone)}>
      <span>
        {isGroup ? 'newest ' : lasting.kind === 'standing' && 'since '}
        {momentOf(atMs, nowMs, zone)}
      </span>
      <span>{formatRelative(atMs, nowMs)}</span>
      {first !== '' && <span>{first}</span>}
    </p>
  );
}

interface ActProps {
  readonly entry: ProblemEntry;
  readonly isAcknowledged: boolean;
  readonly onAcknowledge: (id: string) => void;
  readonly onTakeBack: (id: string) => void;
}

function Act({ entry: { problem, members }, isAcknowledged, onAcknowledge, onTakeBack }: ActProps) {
  const { id, title, lasting } = problem;
  const count = members.length;
  if (isAcknowledged) {
    return (
      <Button
        icon={RotateCcw}
        aria-label={`Open again: ${title}`}
        onClick={() => onTakeBack(id)}
        data-testid="problem-take-back"
      >
        {count > 1 ? `Open ${formatCount(count)} again` : 'Open again'}
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
      {count > 1 ? 'Acknowledge all' : 'Acknowledge'}
    </Button>
  );
}

export interface ProblemLineProps extends ActProps {
  readonly nowMs: number;
  /** Whether the members of a group are listed below it. */
  readonly isOpen: boolean;
  readonly onOpen: (id: string, isOpen: boolean) => void;
}

/** What unfolds below it: the members of a group, or records. */
const listedCount = ({ problem, members }: ProblemEntry): number =>
  members.length > 1 ? members.length : (problem.incident?.records.length ?? 0);

function Fold({ entry, isOpen, onOpen }: ProblemLineProps) {
  const { problem } = entry;
  const count = listedCount(entry);
  if (count === 0) return null;
  return (
    <Button
      variant="quiet"
      className="problem-fold"
      icon={isOpen ? ChevronDown : ChevronRight}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? 'Fold' : 'List all of'}: ${problem.title}`}
      onClick={() => onOpen(problem.id, !isOpen)}
      data-testid="problem-fold"
    >
      {isOpen
        ? 'Fold'
        : count === 1
          ? 'List it'
          : `List ${entry.members.length > 1 ? 'all ' : ''}${formatCount(count)}`}
    </Button>
  );
}

/** The members of a group, or the records of an incident, once they are asked for. */
function Unfolded({ entry: { problem, members }, nowMs, isOpen, onOpen }: ProblemLineProps) {
  const { id, title, incident } = problem;
  if (!isOpen) return null;
  if (members.length > 1) {
    return (
      <ProblemMembers
        label={`${title}, worst first`}
        members={members}
        nowMs={nowMs}
        onClose={() => onOpen(id, false)}
      />
    );
  }
  if (incident === null || incident.records.length === 0) return null;
  return <ProblemRecords label={title} records={incident.records} count={incident.count} />;
}

export function ProblemLine(props: ProblemLineProps) {
  const { entry, nowMs, isAcknowledged, isOpen, onOpen } = props;
  const { problem, members } = entry;
  const { view } = useWorkbench();
  const { id, tone, title, why, next, place, incident } = problem;
  const isGroup = members.length > 1;
  const isFoldable = listedCount(entry) > 0;
  const Icon = tone === 'bad' ? CircleX : TriangleAlert;
  const onKeyDown = (event: KeyboardEvent): void => {
    const wanted = new Map([
      ['ArrowRight', true],
      ['ArrowLeft', false],
    ]).get(event.key);
    if (!isFoldable || wanted === undefined || wanted === isOpen || event.defaultPrevented) return;
    event.preventDefault();
    onOpen(id, wanted);
  };
  return (
    <li
      data-problem={id}
      data-testid="problem"
      data-acknowledged={isAcknowledged}
      data-muted={incident?.isMuted === true}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of its buttons; ← and → fold and unfold a group. */}
      <div className={`problem problem-${tone}`} onKeyDown={onKeyDown}>
        <Icon className="problem-icon" aria-label={tone === 'bad' ? 'Failed' : 'Waits'} role="img" />
        <div className="problem-text">
          <p className="problem-title">
            {title}
            <Fold {...props} />
          </p>
          <p className="dim">
            {why}
            {next !== null && <span className="problem-next"> {next}</span>}
          </p>
        </div>
        <ProblemTime problem={problem} nowMs={nowMs} isGroup={isGroup} />
        <div className="problem-place">
          {place.kind !== 'records' && (
            <Button onClick={() => openPlace(view, place)} data-testid="problem-open">
              {placeWord(place)}
            </Button>
          )}
        </div>
        <div className="problem-act">
          <Act {...props} />
        </div>
        <div className="problem-mute">{incident !== null && <MuteMenu incident={incident} />}</div>
      </div>
      <Unfolded {...props} />
    </li>
  );
}
