/** What broke the workspace's policy and was never handled: how many, why, and the newest of them. */
import { Eye } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { QuarantineState } from '../../../shared/contract/streams-contract.ts';
import { showMessage } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { QuarantineList } from './quarantine-list.tsx';

function summaryOf({ refusedCount, recent }: QuarantineState): string {
  if (refusedCount === 0) return 'none since the start';
  const kept = recent.length < refusedCount ? ` · the latest ${formatCount(recent.length)} are listed` : '';
  return `${formatCount(refusedCount)} since the start, never handled${kept}`;
}

export function QuarantinePanel({ quarantine }: { readonly quarantine: QuarantineState }) {
  const { view } = useWorkbench();
  const place = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [selectedSeq, setSelectedSeq] = useState<number | undefined>();
  const isWanted = useViewState((state) => state.wanted?.kind === 'quarantine');
  useEffect(() => {
    if (!isWanted) return;
    view.setState({ wanted: null });
    const newest = quarantine.recent[0]?.seq;
    if (newest !== undefined) setSelectedSeq(newest);
    list.current?.scrollTo({ top: 0 });
    place.current?.scrollIntoView({ block: 'start' });
    (list.current ?? place.current)?.focus({ preventScroll: true });
  }, [view, isWanted, quarantine]);
  const rows = quarantine.recent;
  const open = (seq: number): void => showMessage(view, seq);
  const hasSelection = rows.some(({ seq }) => seq === selectedSeq);
  const actions = rows.length > 0 && (
    <Button
      icon={Eye}
      disabledReason={hasSelection ? undefined : 'select a message first'}
      onClick={() => selectedSeq !== undefined && open(selectedSeq)}
      data-testid="quarantine-show"
    >
      Show in Streams
    </Button>
  );
  return (
    <div ref={place} tabIndex={-1}>
      <Panel title="Refused messages" summary={summaryOf(quarantine)} actions={actions} data-testid="quarantine">
        {rows.length === 0 ? (
          <p className="panel-note" data-testid="quarantine-empty">
            Nothing was refused.
          </p>
        ) : (
          <QuarantineList
            rows={rows}
            selectedSeq={selectedSeq}
            onSelect={setSelectedSeq}
            onOpen={open}
            listRef={list}
          />
        )}
      </Panel>
    </div>
  );
}
