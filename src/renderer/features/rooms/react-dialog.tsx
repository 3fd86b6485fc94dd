/** Chooses the emoji of a reaction: type a part of its name, Enter takes the first. */
import { type KeyboardEvent, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { findEmoji } from './emoji-list.ts';
import { isReactedBy } from './room-words.ts';
import { useRoomWork, useTold } from './use-room-work.ts';

export interface ReactDialogProps {
  readonly room: RoomSummary;
  readonly item: RoomMessageItem;
}

export function ReactDialog({ room, item }: ReactDialogProps) {
  const { calls, close } = useRoomWork();
  const told = useTold();
  const me = useSnapshot('rooms.state')?.me?.peer;
  const [typed, setTyped] = useState('');
  const found = findEmoji(typed);
  const pick = (emoji: string | undefined): void => {
    if (emoji === undefined || me === undefined) return;
    close();
    told('React', () => calls.react(room.room, item, { emoji, me }));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    pick(found[0]?.emoji);
  };
  return (
    <Dialog
      isOpen
      title={`React to ${visibleText(item.peer)}`}
      description="One that you have set already is taken back."
      onClose={close}
    >
      <div className="dialog-body">
        <input
          autoFocus
          className="field-input"
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder="Name of an emoji"
          aria-label="Name of an emoji"
          data-testid="emoji-filter"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="emoji-grid">
          {found.map(({ name, emoji }) => (
            <button
              key={name}
              type="button"
              className="emoji-choice"
              aria-label={name}
              aria-pressed={isReactedBy(item, emoji, me)}
              title={`:${name}:`}
              onClick={() => pick(emoji)}
            >
              {emoji}
            </button>
          ))}
        </div>
        {found.length === 0 && <p className="dim">No emoji of the list has “{typed}” in its name.</p>}
      </div>
    </Dialog>
  );
}
