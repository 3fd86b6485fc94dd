/** What opens above the Streams view, one at a time, and the buttons that open it. */
import { Database, FileDown } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { formatPercent } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';
import { BookmarksDialog, NoteDialog } from './bookmark-dialogs.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { JumpDialog } from './jump-dialog.tsx';
import { StreamPicker } from './stream-picker.tsx';
import type { AnyTable } from './streams-toolbar.tsx';

export type StreamsDialogKind = 'stream' | 'jump' | 'export' | 'note' | 'bookmarks' | 'compare';

export interface StreamsDialogsProps {
  readonly model: AnyTable;
  readonly shown: StreamsDialogKind | null;
  readonly onClose: () => void;
}

export function StreamsDialogs({ model, shown, onClose }: StreamsDialogsProps) {
  return (
    <>
      <StreamPicker isOpen={shown === 'stream'} onClose={onClose} />
      <ExportDialog model={model} isOpen={shown === 'export'} onClose={onClose} />
      <JumpDialog model={model} isOpen={shown === 'jump'} onClose={onClose} />
      {shown === 'note' && <NoteDialog model={model} onClose={onClose} />}
      {shown === 'bookmarks' && <BookmarksDialog onClose={onClose} />}
      {shown === 'compare' && <CompareDialog model={model} onClose={onClose} />}
    </>
  );
}

export function StreamsDialogButtons({ onOpen }: { readonly onOpen: (kind: StreamsDialogKind) => void }) {
  const [running] = useSnapshot('streams.exports')?.running ?? [];
  const share = running === undefined ? undefined : running.lookedCount / Math.max(1, running.totalCount);
  return (
    <>
      <Button icon={Database} keys="o" data-testid="pick-stream" onClick={() => onOpen('stream')}>
        Streams
      </Button>
      <Button icon={FileDown} data-testid="open-export" onClick={() => onOpen('export')}>
        {share === undefined ? 'Export…' : `Export ${formatPercent(share * 100)}`}
      </Button>
    </>
  );
}
