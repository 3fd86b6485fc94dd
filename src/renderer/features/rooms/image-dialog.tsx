/** An image of a message, as large as there is room for. */
import { Download } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { formatBytes } from '../../ui/format.ts';
import { usePreview } from './attachment-view.tsx';
import { useRoomWork, useTold } from './use-room-work.ts';

export interface ImageDialogProps {
  readonly room: RoomSummary;
  readonly item: RoomMessageItem;
}

/** Within the dialog: its canvas is there once the dialog is. */
function ImageFrame({ room, item, name }: ImageDialogProps & { readonly name: string }) {
  const height = Math.round(window.innerHeight * 0.6);
  const { canvas, why } = usePreview({ room: room.room, item, width: 604, height }, true);
  return (
    <div className="image-frame">
      <canvas ref={canvas} aria-label={name} role="img" hidden={why !== undefined} />
      {why !== undefined && <p className="dim">{why}</p>}
    </div>
  );
}

export function ImageDialog({ room, item }: ImageDialogProps) {
  const { calls, close } = useRoomWork();
  const told = useTold();
  const { attachment } = item;
  if (attachment === null) return null;
  const name = visibleText(attachment.name);
  return (
    <Dialog
      isOpen
      kind="wide"
      title={name}
      description={`${formatBytes(attachment.sizeBytes)}, from ${visibleText(item.peer)}. It was verified and decoded here.`}
      onClose={close}
    >
      <div className="dialog-body">
        <ImageFrame room={room} item={item} name={name} />
        <DialogActions>
          <Button
            icon={Download}
            onClick={() => told(`Save ${name}`, () => calls.saveAttachment(room.room, item.messageId))}
          >
            Save as…
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
