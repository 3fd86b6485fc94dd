/** What can be done in the Trace view, for keys, palette and the sheet of keys. */
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';
import type { ChainWork } from './chain-work.ts';
import type { TraceWork } from './trace-work.ts';
import { moveBy, wholeTrace, zoomBy } from './trace-zoom.ts';
import { openRow, openWords } from './use-trace.ts';

const group = 'Trace';

/** What they act on. */
interface TraceActing {
  readonly work: TraceWork;
  readonly chains: Pick<ChainWork, 'refresh'>;
  readonly view: Workbench['view'];
}

export function createTraceActions({ work, chains, view }: TraceActing): readonly Action[] {
  const isChains = (): boolean => view.getState().tracePage === 'chains';
  const selected = () => {
    const { report, selectedId } = work.store.getState();
    return report?.rows.find(({ id }) => id === selectedId);
  };
  const noTrace = (): string | undefined =>
    isChains() || (work.store.getState().report?.rows.length ?? 0) === 0 ? 'No trace is shown' : undefined;
  const noWaterfall = (): string | undefined =>
    noTrace() ?? (work.store.getState().mode === 'waterfall' ? undefined : 'The graph has no scale of time');
  /** Around what is selected. */
  const zoom = (factor: number): void => {
    const { report, zoom: now } = work.store.getState();
    const row = selected();
    if (report === null || row === undefined) return;
    const around = (row.fromMs - report.fromMs) / Math.max(1, report.toMs - report.fromMs);
    work.setZoom(zoomBy(now, factor, around));
  };
  const move = (part: number): void => work.setZoom(moveBy(work.store.getState().zoom, part));
  const zooms: readonly Action[] = [
    { id: 'trace.zoomIn', title: 'Zoom in on the selected row', group, keys: ['+', '='], run: () => zoom(0.5) },
    { id: 'trace.zoomOut', title: 'Zoom out', group, keys: ['-'], run: () => zoom(2) },
    { id: 'trace.zoomWhole', title: 'Show the whole trace', group, keys: ['0'], run: () => work.setZoom(wholeTrace) },
    { id: 'trace.earlier', title: 'Move to earlier', group, keys: ['h'], run: () => move(-0.25) },
    { id: 'trace.later', title: 'Move to later', group, keys: ['l'], run: () => move(0.25) },
  ];
  return [
    {
      ...{ id: 'trace.refresh', title: 'Read it anew', group, keys: ['r'] },
      disabledReason: () => (isChains() || work.store.getState().traceId !== null ? undefined : 'No trace is shown'),
      run: () => (isChains() ? chains.refresh() : work.refresh()),
    },
    {
      ...{ id: 'trace.mode', title: 'Change between waterfall and graph', group, keys: ['g'], disabledReason: noTrace },
      run: () => work.setMode(work.store.getState().mode === 'graph' ? 'waterfall' : 'graph'),
    },
    {
      ...{ id: 'trace.open', title: 'Open what the selected row leads to', group },
      disabledReason() {
        const row = isChains() ? undefined : selected();
        if (row === undefined) return 'No row is selected';
        return openWords(row) === undefined ? 'It leads nowhere' : undefined;
      },
      run() {
        const row = selected();
        if (row !== undefined) openRow(view, row);
      },
    },
    {
      ...{ id: 'trace.find', title: 'Type a trace id, or the place that is to be proven', group, keys: ['/'] },
      run: () =>
        document.querySelector<HTMLElement>(`[data-testid="${isChains() ? 'chain-place' : 'trace-field'}"]`)?.focus(),
    },
    ...zooms.map((one) => ({ ...one, disabledReason: noWaterfall })),
  ];
}
