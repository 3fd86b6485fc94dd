/** What opens above the Streams view, one at a time, and the buttons that open it. */
import { Database } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { StreamPicker } from './stream-picker.tsx';

export type StreamsDialogKind = 'stream';

export interface StreamsDialogsProps {
  readonly shown: StreamsDialogKind | null;
  readonly onClose: () => void;
}

export function StreamsDialogs({ shown, onClose }: StreamsDialogsProps) {
  return <StreamPicker isOpen={shown === 'stream'} onClose={onClose} />;
}

export function StreamsDialogButtons({ onOpen }: { readonly onOpen: (kind: StreamsDialogKind) => void }) {
  return (
    <Button icon={Database} keys="o" data-testid="pick-stream" onClick={() => onOpen('stream')}>
      Streams
    </Button>
  );
}
