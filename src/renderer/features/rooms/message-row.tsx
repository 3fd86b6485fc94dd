/** One message: whose it is, what it says or why it cannot be read, what others think of it, and what can be done with it. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import {
  Bot,
  CircleX,
  Clock,
  Cpu,
  Eye,
  Lock,
  Pencil,
  RefreshCw,
  Reply,
  ShieldAlert,
  ShieldCheck,
  SmilePlus,
  Trash2,
  X,
} from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem } from '../../../shared/contract/rooms-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import type { Action } from '../../actions/action-registry.ts';
import { useDisabledReason, useRunAction } from '../../actions/use-registry.ts';
import { formatDateTime, formatTimeOfDay } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useViewState } from '../../workbench.tsx';
import { AttachmentView } from './attachment-view.tsx';
import { MarkdownView } from './markdown-view.tsx';
import { createMessageActions } from './message-actions.ts';
import { plainLine } from './plain-line.ts';
import { isReactedBy, peersWords } from './room-words.ts';
import type { TimelineContext } from './timeline-context.ts';
import { useRoomActionsDeps, useRoomWork, useTold } from './use-room-work.ts';

const actionIcons = {
  'rooms.retry': RefreshCw,
  'rooms.cancelSending': X,
  'rooms.reply': Reply,
  'rooms.react': SmilePlus,
  'rooms.readers': Eye,
  'rooms.edit': Pencil,
  'rooms.redact': Trash2,
} as const;
const sentActions = ['rooms.reply', 'rooms.react', 'rooms.readers', 'rooms.edit', 'rooms.redact'] as const;
const unsentActions = ['rooms.retry', 'rooms.cancelSending'] as const;

function RowAction({ action, id }: { readonly action: Action; readonly id: keyof typeof actionIcons }) {
  const run = useRunAction();
  const disabledReason = useDisabledReason(action);
  return (
    <IconButton
      icon={actionIcons[id]}
      label={action.title}
      keys={action.keys?.[0]}
      disabledReason={disabledReason}
      onClick={() => void run(action)}
      tabIndex={-1}
    />
  );
}

/** Shown over the row that is selected or under the pointer; its keys are those of the selected one. */
function RowActions({ item, onCompose }: { readonly item: RoomMessageItem; readonly onCompose: () => void }) {
  const deps = useRoomActionsDeps();
  const actions = useMemo(() => createMessageActions(deps, item, onCompose), [deps, item, onCompose]);
  const ids = item.sending === null ? sentActions : unsentActions;
  return (
    <div className="message-actions" role="toolbar" aria-label="For this message">
      {ids.map((id) => {
        const action = actions.find((one) => one.id === id);
        return action === undefined ? null : <RowAction key={id} id={id} action={action} />;
      })}
    </div>
  );
}

function SenderMarks({ item, context }: { readonly item: RoomMessageItem; readonly context: TimelineContext }) {
  const state = context.members.get(item.peer)?.peerState;
  return (
    <>
      {item.senderKind === 'bot' && <Bot size={13} className="dim" aria-label="bot" role="img" />}
      {item.senderKind === 'process' && <Cpu size={13} className="dim" aria-label="process" role="img" />}
      {item.isAgent && <span className="tag">agent</span>}
      {state === 'verified' && <ShieldCheck size={13} className="tone-ok" aria-label="verified" role="img" />}
      {(state === 'changed' || state === 'blocked') && (
        <ShieldAlert
          size={13}
          className="tone-bad"
          aria-label={state === 'changed' ? 'key changed' : 'blocked'}
          role="img"
        />
      )}
    </>
  );
}

function Quoted({ item }: { readonly item: RoomMessageItem }) {
  const work = useRoomWork();
  const told = useTold();
  const { replyTo } = item;
  if (replyTo === null) return null;
  return (
    <button
      type="button"
      className="message-quoted"
      tabIndex={-1}
      title="Go to what this replies to"
      onClick={() => told('Go to the message', () => work.goTo(replyTo.messageId))}
    >
      {replyTo.peer === '' ? (
        <span className="message-quoted-line">a message that cannot be read here</span>
      ) : (
        <>
          <span className="message-quoted-peer">{visibleText(replyTo.peer)}</span>
          <span className="message-quoted-line" dir="auto">
            {plainLine(replyTo.line)}
          </span>
        </>
      )}
    </button>
  );
}

function Reactions({ item, context }: { readonly item: RoomMessageItem; readonly context: TimelineContext }) {
  const { calls } = useRoomWork();
  const told = useTold();
  const { room, me, whyNotSay } = context;
  if (item.reactions.length === 0) return null;
  return (
    <div className="reactions">
      {item.reactions.map(({ emoji, peers }) => {
        const isMine = isReactedBy(item, emoji, me);
        return (
          <button
            key={emoji}
            type="button"
            className="reaction"
            aria-pressed={isMine}
            aria-disabled={whyNotSay !== undefined || undefined}
            aria-label={`${emoji} by ${peersWords(peers)}`}
            title={whyNotSay ?? peersWords(peers, 12)}
            tabIndex={-1}
            onClick={() => {
              if (whyNotSay === undefined && me !== undefined)
                told('React', () => calls.react(room, item, { emoji, me }));
            }}
          >
            <span aria-hidden="true">{emoji}</span> {peers.length}
          </button>
        );
      })}
    </div>
  );
}

function Sending({ item }: { readonly item: RoomMessageItem }) {
  if (item.sending === null) return null;
  const { state, error } = item.sending;
  if (state === 'failed')
    return (
      <p className="message-state tone-bad">
        <CircleX size={13} aria-hidden="true" /> Not sent: {visibleText(error?.message ?? 'no reason was given')}
      </p>
    );
  return (
    <p className="message-state tone-wait">
      <Clock size={13} aria-hidden="true" />
      {state === 'sending' ? 'Sending…' : `Waits to be sent${error === null ? '' : `: ${visibleText(error.message)}`}`}
    </p>
  );
}

function Unopened({ item }: { readonly item: RoomMessageItem }) {
  if (item.unopened === null) return null;
  const { text, canAskAgain, cause } = item.unopened;
  return (
    <div className="message-unopened" data-cause={cause}>
      <Lock size={13} className={canAskAgain ? 'tone-wait' : 'tone-bad'} aria-hidden="true" />
      <p>{visibleText(text)}</p>
      {canAskAgain && <ActionButton action="rooms.askKeys" icon={RefreshCw} label="Ask again" variant="quiet" />}
    </div>
  );
}

function Removed({ item }: { readonly item: RoomMessageItem }) {
  if (item.redacted === null) return null;
  const { by, reason } = item.redacted;
  return (
    <p className="dim">
      Removed by {visibleText(by)}
      {reason === null ? '' : `: ${visibleText(reason)}`}
    </p>
  );
}

function MessageBody({
  item,
  context,
}: {
  readonly item: RoomMessageItem;
  readonly context: TimelineContext;
}): ReactNode {
  if (item.redacted !== null) return <Removed item={item} />;
  if (item.unopened !== null) return <Unopened item={item} />;
  return (
    <>
      {item.text !== null && item.text !== '' && (
        <MarkdownView text={item.text} peers={context.peers} me={context.me} />
      )}
      <AttachmentView room={context.room} item={item} />
    </>
  );
}

export interface MessageRowProps {
  readonly item: RoomMessageItem;
  readonly isHead: boolean;
  /** Selected, or under the pointer. */
  readonly isActive: boolean;
  readonly context: TimelineContext;
  /** Who has read up to here; only of the last own one. */
  readonly readBy: string;
}

export const MessageRow = memo(function MessageRow({ item, isHead, isActive, context, readBy }: MessageRowProps) {
  const zone = useViewState((state) => state.timeZone);
  const { atMs, editedMs } = item;
  return (
    <div className="message" role="gridcell" data-mention={item.isMention} data-own={item.isOwn}>
      <time className="message-time dim" dateTime={new Date(atMs).toISOString()} title={formatDateTime(atMs, zone)}>
        {formatTimeOfDay(atMs, zone).slice(0, 5)}
      </time>
      <div className="message-main">
        {isHead ? (
          <p className="message-head">
            <span className="message-peer" title={context.members.get(item.peer)?.name ?? undefined}>
              {visibleText(item.peer)}
            </span>
            <SenderMarks item={item} context={context} />
          </p>
        ) : (
          <span className="visually-hidden">{visibleText(item.peer)}: </span>
        )}
        <Quoted item={item} />
        <MessageBody item={item} context={context} />
        {editedMs !== null && item.redacted === null && (
          <span className="message-edited dim" title={formatDateTime(editedMs, zone)}>
            edited {formatTimeOfDay(editedMs, zone).slice(0, 5)}
          </span>
        )}
        <Reactions item={item} context={context} />
        <Sending item={item} />
        {readBy !== '' && <p className="message-read dim">Read by {readBy}</p>}
      </div>
      {isActive && <RowActions item={item} onCompose={context.onCompose} />}
    </div>
  );
});
