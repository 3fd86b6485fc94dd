/** Asks before several files are sent: their names and sizes, and which of them are too large. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { formatBytes } from '../../ui/format.ts';
import { DialogForm } from './dialog-form.tsx';
import { maxChosenBytes, maxDroppedBytes } from './room-calls.ts';
import { whyNotAttach } from './room-reasons.ts';
import { roomTitle } from './room-words.ts';
import type { GivenFiles } from './room-work.ts';
import { useRoomSituation, useRoomWork, useTold } from './use-room-work.ts';

export interface FilesDialogProps {
  readonly room: RoomSummary;
  readonly given: GivenFiles;
}

/** What is too large is said before it goes. */
const limits = {
  dropped: { maxBytes: maxDroppedBytes, words: 'above 16 MiB', all: 'each is above 16 MiB; attach them from disk' },
  chosen: { maxBytes: maxChosenBytes, words: 'above 2 GiB', all: 'each is above 2 GiB; send them in parts' },
} as const;

export function FilesDialog({ room, given }: FilesDialogProps) {
  const { sendFiles } = useRoomWork();
  const { files } = given;
  const { maxBytes, words, all } = limits[given.kind];
  const situation = useRoomSituation();
  const told = useTold();
  const fitting = files.filter(({ size }) => size <= maxBytes);
  const bytes = fitting.reduce((sum, { size }) => sum + size, 0);
  return (
    <DialogForm
      title={`Send ${files.length} files to ${roomTitle(room)}`}
      description={`One after the other, each as its own message: ${fitting.length} of ${files.length}, ${formatBytes(bytes)} in all.`}
      verb="Send"
      why={fitting.length === 0 ? all : whyNotAttach({ ...situation, room })}
      send={async () => told('Send the files', () => sendFiles(room.room, given))}
    >
      <ol className="files-list">
        {files.map(({ name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes while it is asked, and names can be the same.
          <li key={at}>
            <span dir="auto">{visibleText(name === '' ? 'file' : name)}</span>
            <span className={size > maxBytes ? 'tone-bad data' : 'dim data'}>
              {formatBytes(size)}
              {size > maxBytes && ` · not sent: ${words}`}
            </span>
          </li>
        ))}
      </ol>
    </DialogForm>
  );
}
