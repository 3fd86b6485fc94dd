/** Trace: what came of one piece of work, across every queue that it went through (product.md "Trace"). */
import { ChartGantt, Clock, FileCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { TraceReport } from '../../../shared/contract/trace-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { Action } from '../../actions/action-registry.ts';
import { showTrace } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { shortenId } from '../../ui/format.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { readTraceSought } from '../../ui/trace-id.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { Reading, StaleMark } from '../../ui/view-states.tsx';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { createChainActions } from './chain-actions.ts';
import { ChainsPage } from './chains-page.tsx';
import { createTraceActions } from './trace-actions.ts';
import { TraceDetail } from './trace-detail.tsx';
import { TraceGraph } from './trace-graph.tsx';
import { TraceWaterfall } from './trace-waterfall.tsx';
import { limitsOf, skewWords, summaryWords } from './trace-words.ts';
import { useChainWork } from './use-chains.ts';
import { showFound, useShownTrace, useTraceWork, useTraceWorkState } from './use-trace.ts';
import './trace-view.css';

/** Takes a trace id, a whole traceparent, or the id of an envelope of it. */
function TraceField() {
  const { view } = useWorkbench();
  const work = useTraceWork();
  const [text, setText] = useState('');
  const sought = readTraceSought(text);
  const isWrong = text.trim() !== '' && sought === undefined;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (sought === undefined) return;
    setText('');
    if (sought.kind === 'envelope') {
      void showFound({ view, work }, sought.envelopeId);
      return;
    }
    if (view.getState().selectedTrace === sought.traceId) void work.refresh();
    showTrace(view, sought.traceId);
  };
  return (
    <form className="trace-field" onSubmit={onSubmit}>
      <input
        className="field-input data"
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder="Trace or envelope id"
        aria-label="Trace id, traceparent or envelope id"
        aria-keyshortcuts="/"
        aria-invalid={isWrong || undefined}
        title={
          isWrong ? 'A trace id has 32 hexadecimal digits, not all zero; the id of an envelope is a UUID.' : undefined
        }
        data-testid="trace-field"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button
        type="submit"
        disabledReason={
          sought === undefined
            ? 'Type the 32 hexadecimal digits of a trace, or paste a traceparent or the id of an envelope'
            : undefined
        }
      >
        Show
      </Button>
    </form>
  );
}

const modes = [
  { id: 'waterfall', title: 'Waterfall' },
  { id: 'graph', title: 'Graph' },
  { id: 'chains', title: 'Chains' },
] as const;

/** Whether what is shown is that of now, and whose clocks are off. */
function Marks({ report }: { readonly report: TraceReport }) {
  const problem = useTraceWorkState((state) => state.problem);
  const skews = report.skews.map(skewWords).join('\n');
  const limits = limitsOf(report);
  return (
    <>
      <StaleMark readAtMs={report.readAtMs} problem={problem && { message: problem.why }} data-testid="trace-stale" />
      {skews !== '' && (
        <span className="trace-mark tone-wait" title={visibleText(skews)} data-testid="trace-skew">
          <Clock size={13} aria-hidden="true" />
          {report.skews.length === 1 ? 'clock skew' : `${report.skews.length} clocks off`}
        </span>
      )}
      {limits.length > 0 && (
        <span className="trace-mark dim" title={visibleText(limits.join('\n'))} data-testid="trace-limits">
          <TriangleAlert size={13} aria-hidden="true" />
          not all was looked at
        </span>
      )}
    </>
  );
}

function NothingFound({ traceId, report }: { readonly traceId: string; readonly report: TraceReport }) {
  const limits = limitsOf(report);
  return (
    <EmptyState
      icon={ChartGantt}
      title="Nothing of this trace is here"
      what={`No message of trace ${shortenId(traceId, 20)} lies in the streams or was heard since the app started.`}
      next={limits.length === 0 ? 'It may be of another workspace, or older than the streams keep.' : limits.join(' ')}
    >
      <ActionButton action="view.streams" />
    </EmptyState>
  );
}

function Shown({ report }: { readonly report: TraceReport }) {
  const { view } = useWorkbench();
  const mode = useTraceWorkState((state) => state.mode);
  const selectedId = useTraceWorkState((state) => state.selectedId);
  const isOpen = useViewState((state) => state.isInspectorOpen);
  const problem = useTraceWorkState((state) => state.problem);
  const list = useRef<HTMLDivElement>(null);
  const row = report.rows.find(({ id }) => id === selectedId);
  const close = (): void => {
    view.setState({ isInspectorOpen: false });
    list.current?.focus({ preventScroll: true });
  };
  return (
    <div className="trace-shown stale-edge" data-stale={problem !== null}>
      {mode === 'waterfall' ? (
        <TraceWaterfall report={report} listRef={list} />
      ) : (
        <TraceGraph report={report} listRef={list} />
      )}
      {isOpen && (
        <SidePanel
          label="Detail"
          sizeName="trace.detail"
          bounds={{ initialPx: 360, minPx: 260, maxPx: 640 }}
          onClose={close}
          isEmpty={row === undefined}
        >
          {row === undefined ? (
            <p className="view-note dim">Select a row to see what is known of it.</p>
          ) : (
            <TraceDetail row={row} report={report} />
          )}
        </SidePanel>
      )}
    </div>
  );
}

/** What became of looking for the trace of an envelope; undefined: none is looked for. */
function useFinding(): ReactNode {
  const { findingId, lostId, findProblem } = useTraceWorkState((state) => state);
  if (findingId !== null) return <Reading words={`Looking for the trace of envelope ${shortenId(findingId, 20)}…`} />;
  if (findProblem !== null)
    return (
      <div className="view-note">
        <ErrorNotice report={findProblem} />
      </div>
    );
  if (lostId === null) return undefined;
  return (
    <EmptyState
      icon={ChartGantt}
      title="Nothing of this envelope is here"
      what={`Neither envelope ${shortenId(lostId, 20)} nor anything that it caused lies in the streams or was heard since the app started.`}
      next="It may be of another workspace, older than the streams keep, or of no trace."
    />
  );
}

function Body() {
  const work = useTraceWork();
  const { traceId, report, problem } = useTraceWorkState((state) => state);
  const finding = useFinding();
  if (finding !== undefined) return finding;
  if (traceId === null)
    return (
      <EmptyState
        icon={ChartGantt}
        title="No trace is shown"
        what="A trace follows one piece of work through every peer that touched it: where it waited, who worked on it, what failed, what was retried."
        next="Open one from the inspector of a message in Streams, from a dead letter or a task, or by its id above."
      >
        <ActionButton action="view.streams" />
        <ActionButton action="view.dead-letters" />
      </EmptyState>
    );
  if (report === null && problem !== null)
    return (
      <div className="view-note">
        <ErrorNotice report={problem}>
          <Button onClick={() => void work.refresh()}>Try again</Button>
        </ErrorNotice>
      </div>
    );
  if (report === null) return <Reading words="Looking through the streams…" />;
  return report.rows.length === 0 ? <NothingFound traceId={traceId} report={report} /> : <Shown report={report} />;
}

function ViewActions() {
  const { view } = useWorkbench();
  const work = useTraceWork();
  const mode = useTraceWorkState((state) => state.mode);
  const page = useViewState((state) => state.tracePage);
  const choose = (id: (typeof modes)[number]['id']): void => {
    if (id !== 'chains') work.setMode(id);
    view.setState({ tracePage: id === 'chains' ? 'chains' : 'trace' });
  };
  return (
    <>
      <ChoiceSwitch
        label="What is shown"
        choices={modes}
        chosen={page === 'chains' ? 'chains' : mode}
        onChoose={choose}
        testId="trace-mode"
      />
      <ActionButton action="trace.refresh" icon={RefreshCw} label="Refresh" />
      {page === 'chains' ? (
        <ActionButton action="trace.check" icon={FileCheck} label="Check a proof…" />
      ) : (
        <TraceField />
      )}
    </>
  );
}

/** What is shown of a trace, beside the title. */
function TraceSummary() {
  const traceId = useTraceWorkState((state) => state.traceId);
  const report = useTraceWorkState((state) => state.report);
  const hasRows = report !== null && report.rows.length > 0;
  return (
    <>
      <span className="data" title={traceId ?? undefined} data-testid="trace-id">
        {shortenId(traceId ?? '', 14)}
      </span>
      {hasRows && ` · ${summaryWords(report)} `}
      {hasRows && <Marks report={report} />}
    </>
  );
}

export function TraceView() {
  const { view } = useWorkbench();
  const work = useTraceWork();
  const chains = useChainWork();
  useShownTrace();
  const isChains = useViewState((state) => state.tracePage === 'chains');
  const hasTrace = useTraceWorkState((state) => state.traceId !== null);
  const actions = useMemo(
    (): readonly Action[] => [...createTraceActions({ work, chains, view }), ...createChainActions(chains, view)],
    [work, chains, view],
  );
  useActions(actions);
  return (
    <ViewFrame title="Trace" summary={!isChains && hasTrace && <TraceSummary />} actions={<ViewActions />}>
      {isChains ? <ChainsPage /> : <Body />}
    </ViewFrame>
  );
}
