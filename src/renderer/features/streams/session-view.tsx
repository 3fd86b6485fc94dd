/** One session: who it is, what its model said, its terminal, its CPU and memory, its tasks, all at one time. */

import { Speech } from 'lucide-react';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { numberSetting } from '../../state/number-setting.ts';
import { afterPaint } from '../../ui/after-paint.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { SessionAround } from './session-around.tsx';
import { SessionCharts } from './session-charts.tsx';
import { SessionHeader } from './session-header.tsx';
import { createSessionModel, type SessionModel } from './session-model.ts';
import { tasksAt } from './session-moments.ts';
import { SessionTabs } from './session-tabs.tsx';
import { SessionTasks } from './session-tasks.tsx';
import { SessionTerminal } from './session-terminal.tsx';
import { SessionTimeBar } from './session-time-bar.tsx';
import { SessionTokens, TokenTimes } from './session-tokens.tsx';
import { rowsOfEnded, type TaskRow } from './task-log.ts';
import { emptySeries } from './telemetry-series.ts';
import type { TerminalSink } from './terminal-replay.ts';
import { useSessionTime } from './use-session-time.ts';
import './session-view.css';

const never = (): (() => void) => () => {};

/** The session's model: it begins when the terminal can take text, and ends with it. */
function useSessionModel(session: string, terminal: TerminalSink | undefined): SessionModel | undefined {
  const { openFeed, frameClock, mirror, view } = useWorkbench();
  const isShown = useViewState((state) => state.view === 'streams');
  const [model, setModel] = useState<SessionModel | undefined>();
  useEffect(() => {
    if (terminal === undefined) return;
    const seriesSpanMs = (): number =>
      numberSetting(mirror.getState()['settings.current'], 'memory.telemetryMinutes') * 60_000;
    const cursorMs = view.getState().sessionCursors[session];
    const created = createSessionModel({
      ...{ session, openFeed, frameClock, afterPaint, terminal, seriesSpanMs, cursorMs },
    });
    setModel(created);
    return () => {
      created.dispose();
      setModel(undefined);
    };
  }, [session, terminal, openFeed, frameClock, mirror, view]);
  useEffect(() => model?.setShown(isShown), [model, isShown]);
  useSyncExternalStore(model?.subscribe ?? never, model?.getVersion ?? (() => 0));
  return model;
}

/** What the view could not show, in one line each. */
function Losses({ model }: { readonly model: SessionModel }) {
  const losses = [
    model.missingBytes > 0 && `${formatCount(model.missingBytes)} bytes of output are not here`,
    model.droppedCount > 0 &&
      `${formatCount(model.droppedCount)} ${model.droppedCount === 1 ? 'message' : 'messages'} missed`,
    model.cursorMs !== undefined &&
      model.forgottenOutput > 0 &&
      `${formatCount(model.forgottenOutput)} earlier characters cannot be played`,
    model.unreadableCount > 0 && `${formatCount(model.unreadableCount)} messages could not be read`,
  ].filter((loss) => loss !== false);
  return losses.length === 0 ? null : <span className="streams-wait">{losses.join(' · ')}</span>;
}

/** The tasks as they stand: a session that ended without a word takes along what it had begun. */
function useTasks(session: string, rows: readonly TaskRow[]): readonly TaskRow[] {
  const summary = useSnapshot('sessions.list')?.sessions.find((one) => one.session === session);
  if (summary?.state !== 'ended') return rows;
  return rowsOfEnded(rows, { reason: summary.note, atMs: summary.lastSeenMs });
}

const noTasks: readonly TaskRow[] = [];

type Panes = 'terminal' | 'text' | 'both';

/** What is shown above: what the session has when it first has something, and then what was chosen. */
function usePanes(model: SessionModel | undefined): readonly [Panes, (panes: Panes) => void] {
  const [panes, setPanes] = useState<Panes | undefined>();
  const hasText = (model?.tokens.count ?? 0) > 0;
  const first = hasText
    ? model?.hasOutput === true
      ? 'both'
      : 'text'
    : model?.hasOutput === true
      ? 'terminal'
      : undefined;
  // Nothing changes its place later by itself.
  if (panes === undefined && first !== undefined) setPanes(first);
  return [panes ?? 'terminal', setPanes];
}

interface PaneBarProps {
  readonly model: SessionModel | undefined;
  readonly panes: Panes;
  readonly onPanes: (panes: Panes) => void;
  readonly times: ReactNode;
  readonly children: ReactNode;
}

function PaneBar({ model, panes, onPanes, times, children }: PaneBarProps) {
  const tokenCount = model?.tokens.count ?? 0;
  const noText = tokenCount === 0 ? 'no token of this session is in the buffer' : undefined;
  return (
    <div className="session-bar">
      <ChoiceSwitch<Panes>
        label="Panes"
        testId="panes"
        chosen={panes}
        onChoose={onPanes}
        choices={[
          { id: 'terminal', title: 'Terminal' },
          { id: 'text', title: 'Text', disabledReason: noText },
          { id: 'both', title: 'Both', disabledReason: noText },
        ]}
      />
      {model && <Losses model={model} />}
      {panes !== 'text' && model && !model.hasOutput && <span className="dim">nothing printed yet</span>}
      {times}
      <span className="streams-head-actions">{children}</span>
    </div>
  );
}

interface LowerProps {
  readonly session: string;
  readonly model: SessionModel | undefined;
  readonly cursorMs: number | undefined;
}

/** Figures, and what the session worked on and with whom. */
function Lower({ session, model, cursorMs }: LowerProps) {
  const tasks = tasksAt(useTasks(session, model?.tasks ?? noTasks), cursorMs);
  return (
    <div className="session-lower">
      <section className="session-telemetry" aria-label="CPU and memory">
        <SessionCharts series={model?.series ?? emptySeries} cursorMs={cursorMs} />
      </section>
      <section className="session-tasklist" aria-label="Tasks">
        <h3 className="session-heading session-tasks-heading">Tasks</h3>
        <SessionAround session={session} cursorMs={cursorMs} />
        <SessionTasks tasks={tasks} forgottenCount={model?.forgottenTasks ?? 0} />
      </section>
    </div>
  );
}

const noReading = {
  blocks: [],
  forgottenLength: 0,
  timing: { count: 0, last: undefined, perSecond: undefined, longestWaitMs: 0 },
};

export function SessionView({ session }: { readonly session: string }) {
  const [terminal, setTerminal] = useState<TerminalSink | undefined>();
  const [isSpoken, setIsSpoken] = useState(false);
  const model = useSessionModel(session, terminal);
  const time = useSessionTime(session, model);
  const { cursorMs } = time;
  const [panes, setPanes] = usePanes(model);
  const reading = panes === 'terminal' ? undefined : (model?.tokens.read(cursorMs) ?? noReading);
  return (
    <div className="session-view" data-testid="session-view">
      <SessionTabs session={session} />
      <SessionHeader session={session} refusedCount={model?.refusedCount ?? 0} />
      <SessionTimeBar time={time} />
      {model?.error && (
        <div className="streams-notice">
          <ErrorNotice report={describeError('Receive the session', model.error)}>
            <Button onClick={() => model.retry()}>Try again</Button>
          </ErrorNotice>
        </div>
      )}
      <PaneBar
        {...{ model, panes, onPanes: setPanes }}
        times={reading === undefined ? null : <TokenTimes timing={reading.timing} />}
      >
        <IconButton
          icon={Speech}
          label="Terminal text for screen readers"
          aria-pressed={isSpoken}
          side="left"
          onClick={() => setIsSpoken(!isSpoken)}
        />
      </PaneBar>
      <div className="session-upper">
        {reading !== undefined && <SessionTokens reading={reading} isLive={cursorMs === undefined} />}
        <SessionTerminal
          label="Terminal output"
          onReady={setTerminal}
          isSpoken={isSpoken}
          isHidden={panes === 'text'}
        />
      </div>
      <Lower {...{ session, model, cursorMs }} />
    </div>
  );
}
