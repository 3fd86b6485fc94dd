/** The work on traces of this opening of the window. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { TraceRow } from '../../../shared/contract/trace-contract.ts';
import { keepPlace, keptText } from '../../state/kept-place.ts';
import {
  oneOf,
  showApprovals,
  showLetters,
  showMessage,
  showQueue,
  showSession,
  showTrace,
} from '../../state/view-store.ts';
import { useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { createTraceWork, type TraceMode, type TraceWork, type TraceWorkState } from './trace-work.ts';

const works = new WeakMap<Workbench, TraceWork>();
/** So often a trace that goes on is read anew, ms. */
const againMs = 2_000;

export function useTraceWork(): TraceWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const created = createTraceWork(workbench.client.trace);
  works.set(workbench, created);
  workbench.whileOpen.add(
    keepPlace(workbench.view, {
      name: 'trace',
      store: created.store,
      read: ({ mode, selectedId }) => ({ mode, selectedId }),
      restore: ({ mode, selectedId }) => ({
        mode: oneOf<TraceMode>(mode, ['graph'], 'waterfall'),
        selectedId: keptText(selectedId) ?? null,
      }),
    }),
  );
  workbench.whileOpen.add({ dispose: () => created.stop() });
  return created;
}

/** Part of its state. */
export function useTraceWorkState<T>(select: (state: TraceWorkState) => T): T {
  return useStore(useTraceWork().store, select);
}

/** Finds the trace that an envelope is of, and shows it. */
export async function showFound(
  { view, work }: { readonly view: Workbench['view']; readonly work: TraceWork },
  envelopeId: string,
): Promise<void> {
  const traceId = await work.find(envelopeId);
  if (traceId === undefined) return;
  // The one that is shown already is read anew.
  if (view.getState().selectedTrace === traceId) void work.refresh();
  showTrace(view, traceId);
}

/** Reads the trace that is asked for, and again while anything of it goes on. */
export function useShownTrace(): void {
  const work = useTraceWork();
  const { view } = useWorkbench();
  const selected = useViewState((state) => state.selectedTrace);
  const wanted = useViewState((state) => (state.wanted?.kind === 'trace' ? state.wanted : null));
  const isOn = useTraceWorkState(({ report }) => report?.rows.some(({ toMs }) => toMs === null) === true);
  useEffect(() => {
    if (selected !== null && wanted === null) void work.show(selected);
  }, [work, selected, wanted]);
  useEffect(() => {
    if (wanted === null) return;
    view.setState({ wanted: null });
    void showFound({ view, work }, wanted.envelopeId);
  }, [view, work, wanted]);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (!work.store.getState().isBusy) void work.refresh();
    }, againMs);
    return () => clearInterval(timer);
  }, [work, isOn]);
}

const leads = {
  task: 'task',
  letter: 'dead letter',
  approval: 'approval',
  session: 'session',
  message: 'message',
} as const;

/** "Open the task"; undefined: it leads nowhere. */
export function openWords({ target }: TraceRow): string | undefined {
  return target === null ? undefined : `Open the ${leads[target.kind]}`;
}

/** Shows what a row leads to. */
export function openRow(view: Workbench['view'], { target }: TraceRow): void {
  switch (target?.kind) {
    case 'task':
      showQueue(view, target.queue, target.taskId);
      break;
    case 'letter':
      showLetters(view, target.taskId);
      break;
    case 'approval':
      showApprovals(view, target.requestId);
      break;
    case 'session':
      showSession(view, target.session);
      break;
    case 'message':
      showMessage(view, target.seq);
      break;
    default:
  }
}
