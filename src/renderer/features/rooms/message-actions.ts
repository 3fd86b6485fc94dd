/** What can be done with one item of a timeline; the selected one has the keys, each has its own buttons. */

import type { RoomItem, RoomMessageItem } from '../../../shared/contract/rooms-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import { type RoomActionsDeps, roomSituation, roomsGroup } from './room-actions.ts';
import * as reasons from './room-reasons.ts';

interface MessageVerb {
  readonly id: string;
  readonly title: string;
  readonly keys?: readonly string[];
  readonly why: (situation: reasons.MessageSituation) => string | undefined;
  readonly run: (item: RoomMessageItem, room: string) => void | Promise<void>;
}

const whyNoParent = ({ item }: reasons.MessageSituation): string | undefined =>
  item?.kind === 'message' && item.replyTo !== null ? undefined : 'select a reply first';

function speakingVerbs({ work, mirror, view }: RoomActionsDeps, focusComposer: () => void): readonly MessageVerb[] {
  const { calls, composer } = work;
  const about = (kind: 'react' | 'redact') => (item: RoomMessageItem) => {
    const { room } = roomSituation({ mirror, view });
    if (room !== undefined) work.ask({ kind, room, item });
  };
  return [
    {
      ...{ id: 'reply', title: 'Reply to this message', keys: ['r'], why: reasons.whyNotAnswer },
      run: (item, room) => {
        composer.reply(room, item);
        focusComposer();
      },
    },
    {
      ...{ id: 'react', title: 'React to this message…', keys: ['+'], why: reasons.whyNotAnswer },
      run: about('react'),
    },
    {
      ...{ id: 'edit', title: 'Change this message', keys: ['e'], why: reasons.whyNotEdit },
      run: (item, room) => {
        composer.edit(room, item);
        focusComposer();
      },
    },
    {
      ...{ id: 'redact', title: 'Remove this message…', keys: ['Delete'], why: reasons.whyNotRedact },
      run: about('redact'),
    },
    {
      ...{ id: 'retry', title: 'Try to send this message again', keys: ['Shift+R'], why: reasons.whyNotRetry },
      run: ({ messageId }, room) => calls.retrySending(room, messageId),
    },
    {
      ...{ id: 'cancelSending', title: 'Take this message back before it is sent', keys: ['Shift+X'] },
      why: reasons.whyNotCancelSending,
      run: ({ messageId }, room) => calls.cancelSending(room, messageId),
    },
  ];
}

function lookingVerbs({ work, mirror, view }: RoomActionsDeps): readonly MessageVerb[] {
  const { calls } = work;
  return [
    {
      ...{ id: 'readers', title: 'Who can read this message', keys: ['i'], why: reasons.whyNoReaders },
      run: (item, room) => work.set({ side: { kind: 'readers', room, item } }),
    },
    {
      ...{ id: 'parent', title: 'Go to what this replies to', keys: ['p'], why: whyNoParent },
      run: async ({ replyTo }) => {
        if (replyTo !== null) await work.goTo(replyTo.messageId);
      },
    },
    {
      ...{ id: 'copy', title: 'Copy the text of this message', keys: ['y'], why: reasons.whyNotCopy },
      run: ({ text }) => calls.copyText(text ?? ''),
    },
    {
      ...{ id: 'save', title: 'Save the file of this message…', keys: ['s'], why: reasons.whyNotSave },
      run: ({ messageId }, room) => calls.saveAttachment(room, messageId),
    },
    {
      ...{ id: 'look', title: 'Look at the image of this message', keys: ['o'] },
      why: ({ item }) =>
        item?.kind === 'message' && item.attachment?.hasPreview === true
          ? undefined
          : 'select a message with an image first',
      run: (item) => {
        const { room } = roomSituation({ mirror, view });
        if (room !== undefined) work.ask({ kind: 'image', room, item });
      },
    },
  ];
}

/** Of an item; undefined: none is selected, and each says so. */
export function createMessageActions(
  deps: RoomActionsDeps,
  item: RoomItem | undefined,
  focusComposer: () => void,
): readonly Action[] {
  return [...speakingVerbs(deps, focusComposer), ...lookingVerbs(deps)].map(({ id, title, keys, why, run }) => ({
    id: `rooms.${id}`,
    title,
    group: roomsGroup,
    ...(keys === undefined ? {} : { keys }),
    disabledReason: () => why({ ...roomSituation(deps), item }),
    run: async () => {
      const { room } = roomSituation(deps);
      if (room !== undefined && item?.kind === 'message') await run(item, room.room);
    },
  }));
}
