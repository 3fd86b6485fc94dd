/** Asks before several files are sent: their names and sizes, and which of them are too large. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { formatBytes } from '../../ui/format.ts';
import { DialogForm } from './dialog-form.tsx';
import { type DroppedFile, maxDroppedBytes } from './room-calls.ts';
import { whyNotAttach } from './room-reasons.ts';
import { roomTitle } from './room-words.ts';
import { useRoomSituation, useRoomWork, useTold } from './use-room-work.ts';

export interface FilesDialogProps {
  readonly room: RoomSummary;
  readonly files: readonly DroppedFile[];
}

export function FilesDialog({ room, files }: FilesDialogProps) {
  const { calls } = useRoomWork();
  const situation = useRoomSituation();
  const told = useTold();
  const fitting = files.filter(({ size }) => size <= maxDroppedBytes);
  const bytes = fitting.reduce((sum, { size }) => sum + size, 0);
  return (
    <DialogForm
      title={`Send ${files.length} files to ${roomTitle(room)}`}
      description={`One after the other, each as its own message: ${fitting.length} of ${files.length}, ${formatBytes(bytes)} in all.`}
      verb="Send"
      why={fitting.length === 0 ? 'each is above 16 MiB; attach them from disk' : whyNotAttach({ ...situation, room })}
      send={async () => told('Send the files', () => calls.attachFiles(room.room, files))}
    >
      <ol className="files-list">
        {files.map(({ name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes while it is asked, and names can be the same.
          <li key={at}>
            <span dir="auto">{visibleText(name === '' ? 'file' : name)}</span>
            <span className={size > maxDroppedBytes ? 'tone-bad data' : 'dim data'}>
              {formatBytes(size)}
              {size > maxDroppedBytes && ' · not sent: above 16 MiB'}
            </span>
          </li>
        ))}
      </ol>
    </DialogForm>
  );
}
