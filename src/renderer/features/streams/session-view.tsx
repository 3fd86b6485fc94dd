/** One session: who it is, its terminal, its CPU and memory, its tasks. */

import { Speech } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { numberSetting } from '../../state/number-setting.ts';
import { afterPaint } from '../../ui/after-paint.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { SessionCharts } from './session-charts.tsx';
import { SessionHeader } from './session-header.tsx';
import { createSessionModel, type SessionModel, type TerminalSink } from './session-model.ts';
import { SessionTasks } from './session-tasks.tsx';
import { SessionTerminal } from './session-terminal.tsx';
import { rowsOfEnded, type TaskRow } from './task-log.ts';
import { emptySeries } from './telemetry-series.ts';
import './session-view.css';

const never = (): (() => void) => () => {};

/** The session's model: it begins when the terminal can take text, and ends with it. */
function useSessionModel(session: string, terminal: TerminalSink | undefined): SessionModel | undefined {
  const { openFeed, frameClock, mirror } = useWorkbench();
  const isShown = useViewState((state) => state.view === 'streams');
  const [model, setModel] = useState<SessionModel | undefined>();
  useEffect(() => {
    if (terminal === undefined) return;
    const seriesSpanMs = (): number =>
      numberSetting(mirror.getState()['settings.current'], 'memory.telemetryMinutes') * 60_000;
    const created = createSessionModel({ session, openFeed, frameClock, afterPaint, terminal, seriesSpanMs });
    setModel(created);
    return () => {
      created.dispose();
      setModel(undefined);
    };
  }, [session, terminal, openFeed, frameClock, mirror]);
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

export function SessionView({ session }: { readonly session: string }) {
  const [terminal, setTerminal] = useState<TerminalSink | undefined>();
  const [isSpoken, setIsSpoken] = useState(false);
  const model = useSessionModel(session, terminal);
  const tasks = useTasks(session, model?.tasks ?? noTasks);
  return (
    <div className="session-view" data-testid="session-view">
      <SessionHeader session={session} refusedCount={model?.refusedCount ?? 0} />
      {model?.error && (
        <div className="streams-notice">
          <ErrorNotice report={describeError('Receive the session', model.error)}>
            <Button onClick={() => model.retry()}>Try again</Button>
          </ErrorNotice>
        </div>
      )}
      <div className="session-bar">
        <h3 className="session-heading">Terminal</h3>
        {model && <Losses model={model} />}
        {model && !model.hasOutput && <span className="dim">nothing printed yet</span>}
        <span className="streams-head-actions">
          <IconButton
            icon={Speech}
            label="Terminal text for screen readers"
            aria-pressed={isSpoken}
            side="left"
            onClick={() => setIsSpoken(!isSpoken)}
          />
        </span>
      </div>
      <SessionTerminal label="Terminal output" onReady={setTerminal} isSpoken={isSpoken} />
      <div className="session-lower">
        <section className="session-telemetry" aria-label="CPU and memory">
          <SessionCharts series={model?.series ?? emptySeries} />
        </section>
        <section className="session-tasklist" aria-label="Tasks">
          <h3 className="session-heading session-tasks-heading">Tasks</h3>
          <SessionTasks tasks={tasks} forgottenCount={model?.forgottenTasks ?? 0} />
        </section>
      </div>
    </div>
  );
}
