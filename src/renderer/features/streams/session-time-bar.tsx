/** The time cursor over all panes of a session: steps, play, a slider, the way back to now. */
import { ChevronLeft, ChevronRight, type LucideIcon, Pause, Play, Radio, SkipBack, SkipForward } from 'lucide-react';
import { useMemo, useRef } from 'react';
import type { Action } from '../../actions/action-registry.ts';
import { formatAge, formatTime, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useActions, useViewState } from '../../workbench.tsx';
import { type SessionMove, type SessionTime, sessionMoves } from './use-session-time.ts';
import './session-time-bar.css';

interface Face {
  readonly title: string;
  readonly keys: string;
  readonly icon: LucideIcon;
}
const faces: Readonly<Record<SessionMove, Face>> = {
  previousError: { title: 'Go to the error before', keys: 'Shift+E', icon: SkipBack },
  back: { title: 'Step to the event before', keys: ',', icon: ChevronLeft },
  play: { title: 'Play or stop the session', keys: 'p', icon: Play },
  forward: { title: 'Step to the next event', keys: '.', icon: ChevronRight },
  nextError: { title: 'Go to the next error', keys: 'e', icon: SkipForward },
  live: { title: 'Show the session live', keys: 'l', icon: Radio },
};
const inBar: readonly SessionMove[] = ['previousError', 'back', 'play', 'forward', 'nextError'];

function useMoveActions(time: SessionTime): void {
  const latest = useRef(time);
  latest.current = time;
  useActions(
    useMemo<readonly Action[]>(
      () =>
        sessionMoves.map((move) => ({
          ...{ id: `session.${move}`, title: faces[move].title, group: 'Streams', keys: [faces[move].keys] },
          disabledReason: () => latest.current.whyNot[move],
          run: () => latest.current.move(move),
        })),
      [],
    ),
  );
}

/** Errors as marks over the slider. */
function Marks({
  errors,
  from,
  to,
}: {
  readonly errors: readonly number[];
  readonly from: number;
  readonly to: number;
}) {
  const places = new Set(
    errors
      .filter((at) => at >= from && at <= to)
      .map((at) => Math.round((1000 * (at - from)) / Math.max(1, to - from))),
  );
  return [...places].map((place) => (
    <span key={place} className="session-time-mark" style={{ left: `${place / 10}%` }} aria-hidden="true" />
  ));
}

function Place({ cursorMs, lastMs }: { readonly cursorMs: number | undefined; readonly lastMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  if (cursorMs === undefined)
    return (
      <span className="session-time-live" data-testid="session-time">
        live
      </span>
    );
  return (
    <span
      className="data session-time-place"
      title={`${formatAge(Math.max(0, lastMs - cursorMs))} before the last event`}
      data-testid="session-time"
      data-at={cursorMs}
    >
      {formatTime(cursorMs, zone)} {formatZone(zone, cursorMs)}
    </span>
  );
}

export function SessionTimeBar({ time }: { readonly time: SessionTime }) {
  const zone = useViewState((state) => state.timeZone);
  useMoveActions(time);
  const { cursorMs, spanMs, errors, isPlaying, whyNot, move, go } = time;
  const [from, to] = spanMs ?? [0, 0];
  const shownMs = Math.min(to, Math.max(from, cursorMs ?? to));
  const button = (one: SessionMove) => (
    <IconButton
      key={one}
      icon={one === 'play' && isPlaying ? Pause : faces[one].icon}
      label={faces[one].title}
      keys={faces[one].keys}
      disabledReason={whyNot[one]}
      aria-pressed={one === 'play' ? isPlaying : undefined}
      data-testid={`session-${one}`}
      onClick={() => move(one)}
    />
  );
  return (
    <div className="session-time" role="group" aria-label="Time of all panes">
      {inBar.map(button)}
      <span className="session-time-track">
        <Marks errors={errors} from={from} to={to} />
        <input
          type="range"
          aria-label="Time cursor"
          aria-valuetext={cursorMs === undefined ? 'live' : formatTimeOfDay(shownMs, zone)}
          min={from}
          max={Math.max(from + 1, to)}
          step={1}
          value={shownMs}
          disabled={spanMs === undefined}
          data-testid="session-slider"
          onChange={({ target }) => go(target.valueAsNumber >= to ? undefined : target.valueAsNumber)}
        />
      </span>
      <Place cursorMs={cursorMs} lastMs={to} />
      {button('live')}
    </div>
  );
}
