/** What opens above the Streams view, one at a time, and the buttons that open it. */
import { Database } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { JumpDialog } from './jump-dialog.tsx';
import { StreamPicker } from './stream-picker.tsx';
import type { TableModel } from './table-model.ts';

export type StreamsDialogKind = 'stream' | 'jump';

export interface StreamsDialogsProps {
  readonly model: TableModel;
  readonly shown: StreamsDialogKind | null;
  readonly onClose: () => void;
}

export function StreamsDialogs({ model, shown, onClose }: StreamsDialogsProps) {
  return (
    <>
      <StreamPicker isOpen={shown === 'stream'} onClose={onClose} />
      <JumpDialog model={model} isOpen={shown === 'jump'} onClose={onClose} />
    </>
  );
}

export function StreamsDialogButtons({ onOpen }: { readonly onOpen: (kind: StreamsDialogKind) => void }) {
  return (
    <Button icon={Database} keys="o" data-testid="pick-stream" onClick={() => onOpen('stream')}>
      Streams
    </Button>
  );
}
