/** Bookmarks of messages: one is made with a note, and all of them are listed and opened, wherever the message lies now. */
import { Trash2 } from 'lucide-react';
import { type FormEvent, useCallback, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { type Bookmark, maxNoteLength, refKey, withBookmark, withoutBookmark } from '../../state/bookmarks.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { findMessage, refOf } from './find-message.ts';
import { Inspector } from './inspector.tsx';
import { selectedPlace } from './selected-place.ts';
import type { AnyTable } from './streams-toolbar.tsx';
import { useAsked } from './use-asked.ts';
import './mark-dialogs.css';

export interface NoteDialogProps {
  readonly model: AnyTable;
  readonly onClose: () => void;
}

export function NoteDialog({ model, onClose }: NoteDialogProps) {
  const { client, view, notify } = useWorkbench();
  const [place] = useState(() => selectedPlace(model));
  const [note, setNote] = useState('');
  const { isBusy, report, run } = useAttempt();
  const keep = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isKept = await run('Bookmark the message', async () => {
      if (place === undefined) return;
      const ref = refOf(await client.streams.read(place));
      view.setState(({ bookmarks }) => ({ bookmarks: withBookmark(bookmarks, { ...ref, note: note.trim() }) }));
    });
    if (!isKept) return;
    notify('Bookmarked');
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title="Bookmark the message">
      <form className="dialog-body" onSubmit={(event) => void keep(event)}>
        <Field
          label="Note"
          autoFocus
          maxLength={maxNoteLength}
          hint="Kept on this machine, in the clear: no secret belongs here."
          value={note}
          onChange={(event) => setNote(event.target.value)}
          data-testid="bookmark-note"
        />
        {report !== undefined && <ErrorNotice report={report} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={isBusy ? 'it is being read' : undefined}>
            Bookmark
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const nothing = (): void => {};

/** The message that a bookmark means, or why it cannot be shown. */
function Opened({ bookmark, onClose }: { readonly bookmark: Bookmark; readonly onClose: () => void }) {
  const { client } = useWorkbench();
  const find = useCallback((signal: AbortSignal) => findMessage(bookmark, { client, signal }), [client, bookmark]);
  const found = useAsked(find);
  if (found.kind === 'asking') return <p className="inspector-wait dim">Looking for the message…</p>;
  if (found.kind === 'failed') return <ErrorNotice report={describeError('Find the message', found.error)} />;
  if (found.value === undefined) {
    return (
      <p className="inspector-wait" data-testid="bookmark-gone">
        The message has left: neither what this app holds of the traffic nor a stream has it any more. The bookmark
        stays until it is deleted.
      </p>
    );
  }
  const { seq, stream } = found.value;
  return <Inspector seq={seq} stream={stream} onClose={onClose} onSelect={nothing} onLearn={nothing} />;
}

interface RowProps {
  readonly bookmark: Bookmark;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}

function BookmarkRow({ bookmark, isOpen, onOpen, onDelete }: RowProps) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <li className="bookmark-row" data-testid="bookmark">
      <button type="button" className="bookmark-open" aria-expanded={isOpen} onClick={onOpen}>
        <span>{bookmark.note === '' ? <span className="dim">no note</span> : visibleText(bookmark.note)}</span>
        <span className="data dim">
          {formatDateTime(bookmark.atMs, zone)} · {visibleText(bookmark.subject)}
        </span>
      </button>
      <IconButton icon={Trash2} label="Delete the bookmark" side="left" onClick={onDelete} />
    </li>
  );
}

export function BookmarksDialog({ onClose }: { readonly onClose: () => void }) {
  const { view } = useWorkbench();
  const bookmarks = useViewState((state) => state.bookmarks);
  const [openKey, setOpenKey] = useState<string | undefined>();
  const opened = bookmarks.find((one) => refKey(one) === openKey);
  return (
    <Dialog isOpen kind="wide" onClose={onClose} title="Bookmarked messages">
      <div className="dialog-body">
        {bookmarks.length === 0 && <p className="dim">None is bookmarked any more.</p>}
        <ul className="bookmark-list">
          {bookmarks.map((bookmark) => (
            <BookmarkRow
              key={refKey(bookmark)}
              bookmark={bookmark}
              isOpen={refKey(bookmark) === openKey}
              onOpen={() => setOpenKey(refKey(bookmark))}
              onDelete={() => view.setState({ bookmarks: withoutBookmark(bookmarks, bookmark) })}
            />
          ))}
        </ul>
        {opened !== undefined && (
          <section className="bookmark-message" aria-label="The bookmarked message">
            <Opened key={openKey} bookmark={opened} onClose={() => setOpenKey(undefined)} />
          </section>
        )}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
