/** The room that is shown: its head, what stands in its way, its messages, and where the next one is written. */
import { X } from 'lucide-react';
import { type DragEvent, type RefObject, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem, RoomSummary, RoomsState } from '../../../shared/contract/rooms-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useActions, useSnapshot, useWorkbench } from '../../workbench.tsx';
import { TransferLine } from './attachment-view.tsx';
import { ComposerView } from './composer-view.tsx';
import { createMessageActions } from './message-actions.ts';
import { RoomBanners } from './room-banners.tsx';
import { RoomHeader } from './room-header.tsx';
import { whyNotAttach, whyNotSend } from './room-reasons.ts';
import { transferWords } from './room-words.ts';
import type { TimelineContext } from './timeline-context.ts';
import { keyOfItem } from './timeline-rows.ts';
import type { Timeline } from './timeline-store.ts';
import { TimelineView } from './timeline-view.tsx';
import { type Members, useMembersByPeer } from './use-members.ts';
import { useRoomActionsDeps, useRoomSituation, useRoomWork, useRoomWorkState, useTold } from './use-room-work.ts';

export interface RoomPaneProps {
  readonly room: RoomSummary;
  readonly state: RoomsState;
  readonly timeline: Timeline;
  readonly members: Members;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly areaRef: RefObject<HTMLTextAreaElement | null>;
}

/** Files dropped anywhere on the room. */
function useDrop(room: RoomSummary) {
  const { attachFiles } = useRoomWork();
  const { refuse } = useWorkbench();
  const told = useTold();
  const why = whyNotAttach(useRoomSituation());
  const [isOver, setIsOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    why,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(false);
        if (why === undefined) told('Send the dropped file', () => attachFiles(room, [...event.dataTransfer.files]));
        else refuse(`Send the dropped file: ${why}`);
      },
    },
  };
}

/** Files on their way whose message is not known yet. */
function Transfers({ room }: { readonly room: string }) {
  const transfers = (useSnapshot('rooms.state')?.transfers ?? []).filter(
    (one) => one.room === room && one.messageId === null,
  );
  const waiting = useRoomWorkState((state) => state.waiting).filter((one) => one.room === room);
  const { cancelWaiting } = useRoomWork();
  if (transfers.length + waiting.length === 0) return null;
  return (
    <div className="room-transfers" data-testid="transfers">
      {transfers.map((transfer) => (
        <div key={transfer.transferId} className="room-transfer">
          <span className="attachment-name">{transfer.name}</span>
          <TransferLine transfer={transfer} />
        </div>
      ))}
      {waiting.map(({ file }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: files have no id, and two can have one name.
        <div key={at} className="room-transfer">
          <span className="attachment-name">{visibleText(file.name)}</span>
          <div className="attachment-transfer">
            <span className="data">{transferWords({ doneBytes: 0, sizeBytes: file.size, isWaiting: true })}</span>
            <IconButton icon={X} label={`Do not send ${visibleText(file.name)}`} onClick={() => cancelWaiting(file)} />
          </div>
        </div>
      ))}
    </div>
  );
}

function useTimelineContext({ room, members, areaRef }: RoomPaneProps): TimelineContext {
  const byPeer = useMembersByPeer(members);
  const situation = useRoomSituation();
  const whyNotSay = whyNotSend(situation);
  const me = situation.state?.me?.peer;
  const { room: id } = room;
  return useMemo(
    () => ({
      ...{ room: id, me, members: byPeer, peers: new Set(byPeer.keys()), whyNotSay },
      onCompose: () => requestAnimationFrame(() => areaRef.current?.focus()),
    }),
    [id, me, byPeer, whyNotSay, areaRef],
  );
}

/** The actions of the selected item, on its keys. */
function useSelectedActions({ timeline }: Pick<RoomPaneProps, 'timeline'>, onCompose: () => void): void {
  const deps = useRoomActionsDeps();
  const selectedKey = useRoomWorkState((state) => state.selectedKey);
  const item = useStore(timeline.store, ({ items }) => items.find((one) => keyOfItem(one) === selectedKey));
  useActions(useMemo(() => createMessageActions(deps, item, onCompose), [deps, item, onCompose]));
}

function ComposePlace({ room, members, listRef, areaRef, timeline }: RoomPaneProps) {
  const { composer } = useRoomWork();
  const why = whyNotSend(useRoomSituation());
  if (why !== undefined) {
    return (
      <div className="compose compose-closed dim" data-testid="compose-closed">
        <p>Nothing can be said here: {why}.</p>
        {room.standing === 'member' && room.trouble === null && <ActionButton action="connections.show" />}
      </div>
    );
  }
  const editLast = (): void => {
    const isMine = (item: { kind: string }): item is RoomMessageItem => {
      const one = item as RoomMessageItem;
      return (
        one.kind === 'message' &&
        one.isOwn &&
        one.seq !== null &&
        one.text !== null &&
        one.attachment === null &&
        one.redacted === null
      );
    };
    const last = timeline.store.getState().items.findLast(isMine);
    if (last !== undefined) composer.edit(room.room, last as RoomMessageItem);
  };
  return (
    <ComposerView
      summary={room}
      members={members.answer?.members ?? []}
      areaRef={areaRef}
      onLeave={() => listRef.current?.focus()}
      onEditLast={editLast}
    />
  );
}

export function RoomPane(props: RoomPaneProps) {
  const { room, state, timeline, listRef } = props;
  const context = useTimelineContext(props);
  const drop = useDrop(room);
  useSelectedActions(props, context.onCompose);
  return (
    <div className="room-pane" {...drop.handlers}>
      <RoomHeader room={room} />
      <RoomBanners room={room} state={state} />
      {room.standing === 'invited' ? (
        <p className="rooms-note room-pane-rest dim">Its messages can be read once you have joined.</p>
      ) : (
        <TimelineView summary={room} timeline={timeline} context={context} listRef={listRef} />
      )}
      <Transfers room={room.room} />
      {room.standing !== 'invited' && <ComposePlace {...props} />}
      {drop.isOver && (
        <div className="room-drop" aria-hidden="true">
          {drop.why === undefined ? 'Drop to send, sealed' : `Cannot be sent: ${drop.why}`}
        </div>
      )}
    </div>
  );
}
