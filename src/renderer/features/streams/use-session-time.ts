/** The one time cursor of a session's view: where it can go, and how it plays. */
import { useEffect, useState } from 'react';
import { setSessionCursor } from '../../state/view-store.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import type { SessionModel } from './session-model.ts';
import { errorTimes, nextTime } from './session-moments.ts';

/** How often a playing cursor moves, ms. */
const stepMs = 100;

export interface SessionTime {
  /** The time that is shown, ms since the epoch; undefined: now. */
  readonly cursorMs: number | undefined;
  readonly isPlaying: boolean;
  /** The first and the last event that are held; undefined: none is. */
  readonly spanMs: readonly [number, number] | undefined;
  readonly errors: readonly number[];
  /** Why it cannot go there, if so. */
  readonly whyNot: Readonly<Record<SessionMove, string | undefined>>;
  readonly go: (atMs: number | undefined) => void;
  readonly move: (move: SessionMove) => void;
}

export const sessionMoves = ['back', 'forward', 'previousError', 'nextError', 'play', 'live'] as const;
export type SessionMove = (typeof sessionMoves)[number];

interface Places {
  readonly moments: readonly number[];
  readonly errors: readonly number[];
  readonly cursorMs: number | undefined;
}

function targetOf({ moments, errors, cursorMs }: Places, move: SessionMove): number | undefined {
  if (move === 'back') return nextTime(moments, cursorMs, false) ?? undefined;
  if (move === 'forward') return nextTime(moments, cursorMs, true);
  // From now on the first error is the next one: the eye begins at the start.
  if (move === 'nextError') return cursorMs === undefined ? errors[0] : nextTime(errors, cursorMs, true);
  if (move === 'previousError') return nextTime(errors, cursorMs, false);
  return undefined;
}

function whyNotOf(places: Places): SessionTime['whyNot'] {
  const { moments, errors, cursorMs } = places;
  const empty = moments.length === 0 ? 'nothing of this session is held yet' : undefined;
  const isLive = cursorMs === undefined ? 'the view is live already' : undefined;
  const noError = errors.length === 0 ? 'no task of this session has failed' : undefined;
  const without = (move: SessionMove, why: string) => (targetOf(places, move) === undefined ? why : undefined);
  return {
    back: empty ?? without('back', 'the cursor is at the first event'),
    forward: empty ?? isLive ?? without('forward', 'the cursor is at the last event'),
    previousError: noError ?? without('previousError', 'no earlier task has failed'),
    nextError: noError ?? without('nextError', 'no later task has failed'),
    play: empty,
    live: isLive,
  };
}

/** Keeps the model at the cursor that this window remembers for the session. */
export function useSessionTime(session: string, model: SessionModel | undefined): SessionTime {
  const { view } = useWorkbench();
  const cursorMs = useViewState((state) => state.sessionCursors[session]);
  const [isPlaying, setIsPlaying] = useState(false);
  useEffect(() => model?.setCursor(cursorMs), [model, cursorMs]);
  const isRunning = isPlaying && cursorMs !== undefined;
  useEffect(() => {
    if (!isRunning || model === undefined) return;
    let before = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const at = (view.getState().sessionCursors[session] ?? 0) + Math.round(now - before);
      before = now;
      // At its end it is live.
      const isOver = at >= (model.moments.at(-1) ?? 0);
      setSessionCursor(view, session, isOver ? undefined : at);
      if (isOver) setIsPlaying(false);
    }, stepMs);
    return () => clearInterval(timer);
  }, [isRunning, model, session, view]);
  const moments = model?.moments ?? [];
  const errors = errorTimes(model?.tasks ?? []);
  const places = { moments, errors, cursorMs };
  const first = moments[0];
  const go = (atMs: number | undefined): void => {
    setIsPlaying(false);
    setSessionCursor(view, session, atMs);
  };
  return {
    ...{ cursorMs, errors, go, isPlaying: isRunning, whyNot: whyNotOf(places) },
    spanMs: first === undefined ? undefined : [first, moments.at(-1) ?? first],
    move(move) {
      if (move === 'live') go(undefined);
      else if (move !== 'play') go(targetOf(places, move));
      else if (isRunning) setIsPlaying(false);
      else {
        // From now there is nothing to play: it begins with the first event.
        if (cursorMs === undefined) setSessionCursor(view, session, first);
        setIsPlaying(true);
      }
    },
  };
}
