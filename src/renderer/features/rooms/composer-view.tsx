/** Where a message is written: several lines, names and emoji completed, files pasted, dropped or chosen. */
import { Paperclip, SendHorizontal, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMemberReport, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { type Completion, complete, completionAt, replaceNamedEmoji } from './completion.ts';
import { bytesOf, type ComposeMode, type Draft, maxMessageBytes } from './composer.ts';
import { whyNotAttach } from './room-reasons.ts';
import { roomTitle, typingWords } from './room-words.ts';
import { useRoomSituation, useRoomWork, useTold } from './use-room-work.ts';

const fresh: Draft = { text: '', mode: { kind: 'new' } };
/** From here on the size is said. */
const tellFromBytes = maxMessageBytes * 0.75;

function ModeLine({ mode, onCancel }: { readonly mode: ComposeMode; readonly onCancel: () => void }) {
  if (mode.kind === 'new') return null;
  return (
    <div className="compose-mode">
      <span className="compose-mode-text">
        {mode.kind === 'edit' ? (
          'Changing your message'
        ) : (
          <>
            Reply to <strong>{visibleText(mode.peer)}</strong>: <span dir="auto">{visibleText(mode.line)}</span>
          </>
        )}
      </span>
      <IconButton
        icon={X}
        label={mode.kind === 'edit' ? 'Take the change back' : 'Reply to nobody'}
        onClick={onCancel}
      />
    </div>
  );
}

interface OptionsProps {
  readonly id: string;
  readonly completion: Completion;
  readonly chosen: number;
  readonly onPick: (at: number) => void;
}

function Options({ id, completion, chosen, onPick }: OptionsProps) {
  return (
    <div id={id} className="completion" role="listbox" aria-label={completion.kind === 'member' ? 'Members' : 'Emoji'}>
      {completion.options.map(({ key, label, note }, at) => (
        <div
          key={key}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          className="completion-option"
          aria-selected={at === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(at);
          }}
        >
          <span>{label}</span>
          <span className="dim">{visibleText(note)}</span>
        </div>
      ))}
    </div>
  );
}

/** What is offered at the caret, which of it is chosen, and what puts it in. */
function useCompletion(members: readonly RoomMemberReport[], put: (text: string, caret: number) => void) {
  const [open, setOpen] = useState<{ readonly completion: Completion; readonly chosen: number } | undefined>();
  return {
    open,
    look(text: string, caret: number): void {
      const completion = completionAt(
        text,
        caret,
        members.filter(({ isInvited }) => !isInvited),
      );
      setOpen(completion && { completion, chosen: 0 });
    },
    close: () => setOpen(undefined),
    move(step: number): void {
      setOpen((now) => {
        if (now === undefined) return now;
        const { length } = now.completion.options;
        return { ...now, chosen: (now.chosen + step + length) % length };
      });
    },
    pick(area: HTMLTextAreaElement | null, at: number): void {
      const option = open?.completion.options[at];
      if (option === undefined || open === undefined || area === null) return;
      const next = complete({ text: area.value, caret: area.selectionStart }, open.completion.from, option.insert);
      setOpen(undefined);
      put(next.text, next.caret);
    },
  };
}

/** The draft of a room in a field, with the caret where it belongs after it was changed here. */
function useDraft(room: string, areaRef: RefObject<HTMLTextAreaElement | null>) {
  const { composer } = useRoomWork();
  const draft = useStore(composer.store, (drafts) => drafts[room]) ?? fresh;
  const caret = useRef<number | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the changed text whose caret is set.
  useLayoutEffect(() => {
    if (caret.current !== undefined) areaRef.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [draft.text, areaRef]);
  const put = (text: string, at: number): void => {
    caret.current = at;
    composer.type(room, text);
  };
  return { draft, put };
}

interface FieldProps {
  readonly summary: RoomSummary;
  readonly members: readonly RoomMemberReport[];
  readonly areaRef: RefObject<HTMLTextAreaElement | null>;
  /** Back to the messages. */
  readonly onLeave: () => void;
  /** Up, where nothing is written: the last own message is changed. */
  readonly onEditLast: () => void;
  readonly onSubmit: () => void;
}

const plainKey = (event: KeyboardEvent): boolean =>
  !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;

function ComposeField({ summary, members, areaRef, onLeave, onEditLast, onSubmit }: FieldProps) {
  const id = useId();
  const { room } = summary;
  const { composer, attachFiles } = useRoomWork();
  const told = useTold();
  const { draft, put } = useDraft(room, areaRef);
  const completion = useCompletion(members, put);
  const onCompletionKey = (event: KeyboardEvent): boolean => {
    const { open } = completion;
    if (open === undefined) return false;
    if (event.key === 'ArrowDown') completion.move(1);
    else if (event.key === 'ArrowUp') completion.move(-1);
    else if (event.key === 'Escape') completion.close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && plainKey(event))
      completion.pick(areaRef.current, open.chosen);
    else return false;
    return true;
  };
  const onOwnKey = (event: KeyboardEvent): boolean => {
    if (event.key === 'Enter' && plainKey(event)) onSubmit();
    else if (event.key === 'ArrowUp' && plainKey(event) && draft.text === '') onEditLast();
    else if (event.key === 'Escape' && draft.mode.kind !== 'new') composer.cancel(room);
    else if (event.key === 'Escape') onLeave();
    else return false;
    return true;
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    told('Send the pasted file', () => attachFiles(summary, files));
  };
  const { open } = completion;
  return (
    <div className="compose-field">
      {open !== undefined && <Options id={id} {...open} onPick={(at) => completion.pick(areaRef.current, at)} />}
      <textarea
        ref={areaRef}
        className="compose-area"
        rows={1}
        dir="auto"
        spellCheck
        placeholder={`Message ${roomTitle(summary)}`}
        aria-label={`Message ${roomTitle(summary)}`}
        aria-autocomplete="list"
        aria-controls={open === undefined ? undefined : id}
        aria-activedescendant={open === undefined ? undefined : `${id}-${open.chosen}`}
        data-testid="compose"
        value={draft.text}
        onChange={({ target: { value, selectionStart } }) => {
          const named = replaceNamedEmoji({ text: value, caret: selectionStart });
          put(named?.text ?? value, named?.caret ?? selectionStart);
          completion.look(named?.text ?? value, named?.caret ?? selectionStart);
        }}
        onBlur={() => {
          completion.close();
          composer.flush(room);
        }}
        onPaste={onPaste}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (onCompletionKey(event) || onOwnKey(event)) event.preventDefault();
        }}
      />
    </div>
  );
}

function TypingLine({ room }: { readonly room: string }) {
  const typing = useSnapshot('rooms.state')?.presence.find((one) => one.room === room)?.typing ?? [];
  return (
    <p className="typing-line dim" aria-live="polite" data-testid="typing">
      {typingWords(typing)}
    </p>
  );
}

export type ComposerViewProps = Omit<FieldProps, 'onSubmit'>;

export function ComposerView(props: ComposerViewProps) {
  const { summary } = props;
  const { room } = summary;
  const work = useRoomWork();
  const { composer } = work;
  const told = useTold();
  const situation = useRoomSituation();
  const { text, mode } = useStore(composer.store, (drafts) => drafts[room]) ?? fresh;
  const bytes = bytesOf(text.trim());
  const isTooLong = bytes > maxMessageBytes;
  const why = isTooLong
    ? `a message has at most ${formatBytes(maxMessageBytes)}; send it as a file`
    : text.trim() === ''
      ? 'nothing is written yet'
      : undefined;
  const submit = (): void => {
    if (why === undefined)
      told(mode.kind === 'edit' ? 'Change the message' : 'Send the message', () => work.submit(room));
  };
  useEffect(() => () => composer.flush(room), [composer, room]);
  return (
    <div className="compose" data-mode={mode.kind}>
      <TypingLine room={room} />
      <ModeLine mode={mode} onCancel={() => composer.cancel(room)} />
      <div className="compose-row">
        <IconButton
          icon={Paperclip}
          label="Send files…"
          hint="Send files, each up to 2 GiB; pasted or dropped up to 16 MiB"
          keys="Mod+U"
          side="top"
          disabledReason={whyNotAttach(situation)}
          onClick={() => told('Send files', () => work.attach(summary))}
        />
        <ComposeField {...props} onSubmit={submit} />
        <Button variant="primary" icon={SendHorizontal} disabledReason={why} onClick={submit} data-testid="send">
          {mode.kind === 'edit' ? 'Save' : 'Send'}
        </Button>
      </div>
      <p className="compose-hint dim">
        <span>Enter sends · Shift+Enter is a new line · @ names · : emoji · ↑ changes your last</span>
        {bytes > tellFromBytes && (
          <span className={isTooLong ? 'tone-bad' : ''}>
            {formatBytes(bytes)} of {formatBytes(maxMessageBytes)}
          </span>
        )}
      </p>
    </div>
  );
}
