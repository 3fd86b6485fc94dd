/** The list of durable streams, with what lies in each; choosing one opens it in the table. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { StoredStream } from '../../../shared/contract/streams-contract.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { formatAge, formatBytes, formatCount } from '../../ui/format.ts';
import { RowList } from '../../ui/row-list.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { useStoredStreams } from './use-stored-streams.ts';
import './stream-picker.css';

export interface StreamPickerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const columns = ['Stream', 'Messages', 'Size', 'First', 'Last', 'Oldest', 'Newest'];

function Cells({ stream, nowMs }: { readonly stream: StoredStream; readonly nowMs: number }) {
  const { name, subjects, messageCount, bytes, firstSeq, lastSeq, oldestMs, newestMs } = stream;
  const age = (ms: number | null): string => (ms === null ? '–' : formatAge(Math.max(0, nowMs - ms)));
  const isEmpty = messageCount === 0;
  return (
    <>
      <span role="gridcell" className="row-cell" title={subjects.map(visibleText).join('\n')}>
        {visibleText(name)}
      </span>
      {[
        formatCount(messageCount),
        formatBytes(bytes),
        isEmpty ? '–' : formatCount(firstSeq),
        isEmpty ? '–' : formatCount(lastSeq),
        age(oldestMs),
        age(newestMs),
      ].map((text, at) => (
        <span key={columns[at + 1]} role="gridcell" className="row-cell row-cell-number">
          {text}
        </span>
      ))}
    </>
  );
}

function Header() {
  return (
    <div role="row" className="row-list-heads" aria-rowindex={1}>
      {columns.map((title, at) => (
        <span key={title} role="columnheader" className={at === 0 ? undefined : 'row-cell-number'}>
          {title}
        </span>
      ))}
    </div>
  );
}

interface StreamListProps {
  readonly streams: readonly StoredStream[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
  readonly onOpen: (name: string) => void;
}

/** The list takes the focus as soon as it is there. */
function StreamList({ streams, selected, onSelect, onOpen }: StreamListProps) {
  const list = useRef<HTMLDivElement>(null);
  const nowMs = useNow();
  useEffect(() => list.current?.focus({ preventScroll: true }), []);
  return (
    <div className="row-list-frame stream-picker-place">
      <RowList
        label="Durable streams, by name"
        rows={streams}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        selectedKey={selected}
        onSelect={onSelect}
        onOpen={onOpen}
        header={<Header />}
        className="stream-picker"
        listRef={list}
        data-testid="stream-picker"
      >
        {(stream) => <Cells stream={stream} nowMs={nowMs} />}
      </RowList>
    </div>
  );
}

function Picker({ onClose }: Pick<StreamPickerProps, 'onClose'>) {
  const { view } = useWorkbench();
  const found = useStoredStreams();
  const shown = useViewState((state) => state.selectedStream);
  const [chosen, setChosen] = useState<string | undefined>(shown ?? undefined);
  const streams = found?.streams ?? [];
  const selected = chosen ?? (streams.find(({ messageCount }) => messageCount > 0) ?? streams[0])?.name;
  const open = (selectedStream: string | null): void => {
    view.setState({ selectedStream, selectedSession: null, streamsMode: 'messages' });
    onClose();
  };
  return (
    <div className="dialog-body">
      {found?.why != null && (
        <p className="field-note field-note-bad" role="alert">
          {visibleText(found.why)}
        </p>
      )}
      {found === undefined && <p className="dim">Reading what the streams hold…</p>}
      {found !== undefined && streams.length === 0 && found.why === null && (
        <p className="dim">There is no stream on this connection yet. “Create the streams” makes them.</p>
      )}
      {streams.length > 0 && <StreamList {...{ streams, selected }} onSelect={setChosen} onOpen={open} />}
      <DialogActions>
        <Button
          disabledReason={shown === null ? 'It is shown already' : undefined}
          onClick={() => open(null)}
          data-testid="picker-live"
        >
          Show what is heard live
        </Button>
        <Button
          variant="primary"
          disabledReason={selected === undefined ? 'There is no stream to open' : undefined}
          onClick={() => selected !== undefined && open(selected)}
          data-testid="picker-open"
        >
          Open the stream
        </Button>
      </DialogActions>
    </div>
  );
}

export function StreamPicker({ isOpen, onClose }: StreamPickerProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      kind="wide"
      title="Open a durable stream"
      description="What lies in it and what is stored meanwhile stand in one table. Reading claims nothing."
    >
      <Picker onClose={onClose} />
    </Dialog>
  );
}
