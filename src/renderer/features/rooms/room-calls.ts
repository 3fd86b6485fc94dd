/** What is asked of the engine about rooms, and what is said when it was done. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type {
  RoomFileChoice,
  RoomMemberReport,
  RoomMessageItem,
  RoomRoleName,
} from '../../../shared/contract/rooms-contract.ts';
import { copyText } from '../../ui/copy-text.ts';
import type { Workbench } from '../../workbench.tsx';
import { toBase64 } from './base64.ts';

type RoomsClient = Workbench['client']['rooms'];

export interface RoomCallsDeps extends Pick<Workbench, 'notify' | 'refuse' | 'reportError'> {
  readonly client: Workbench['client']['rooms'];
}

/** Most bytes of a file that is chosen: it goes from disk, in pieces (R12). */
export const maxChosenBytes = 2 * 1024 ** 3;

/** Most bytes that are pasted or dropped: they pass through the window. */
export const maxDroppedBytes = 16 * 1024 * 1024;

export interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A type that the engine takes; what has none is bytes. */
const mimeOf = (type: string): string =>
  /^[\w!#$&^.+-]{1,63}\/[\w!#$&^.+-]{1,63}$/.test(type) ? type.toLowerCase() : 'application/octet-stream';

export type RoomCalls = ReturnType<typeof createRoomCalls>;

/** What changes rooms and who is in them. Each throws what the engine throws. */
function createMembershipCalls({ client, notify }: Pick<RoomCallsDeps, 'client' | 'notify'>) {
  return {
    async create(input: Parameters<RoomsClient['create']>[0]): Promise<string> {
      const { room } = await client.create(input);
      notify(`Created ${visibleText(input.name)}. Invite somebody next.`);
      return room;
    },
    async join(room: string): Promise<void> {
      await client.join({ room });
      notify('Joined. Messages from now on can be read as soon as their key is here.');
    },
    async decline(room: string): Promise<void> {
      await client.decline({ room });
      notify('Declined the invitation.');
    },
    async leave(room: string): Promise<void> {
      await client.leave({ room });
      notify('Left the room. What was said before stays readable here.');
    },
    async close(room: string): Promise<void> {
      await client.close({ room });
      notify('Closed the room. What was said stays readable.');
    },
    async setTopic(input: Parameters<RoomsClient['setTopic']>[0]): Promise<void> {
      await client.setTopic(input);
      notify('Changed name and topic.');
    },
    async invite(room: string, peer: string, role: 'member' | 'moderator'): Promise<void> {
      await client.invite({ room, peer, role });
      notify(`Invited ${visibleText(peer)}. It gets the key when it joins.`);
    },
    async inviteFromFile(room: string): Promise<void> {
      const { peer } = await client.inviteFromFile({ room });
      notify(`Invited ${visibleText(peer)}. It gets the key when it joins.`);
    },
    async kick(room: string, member: RoomMemberReport, reason: string | undefined): Promise<void> {
      await client.kick({ room, sign: member.sign, ...(reason === undefined ? {} : { reason }) });
      const peer = visibleText(member.peer);
      notify(
        member.isInvited
          ? `Took back the invitation of ${peer}.`
          : `Removed ${peer}. What is said from now on has a new key.`,
      );
    },
    async setRole(room: string, member: RoomMemberReport, role: RoomRoleName): Promise<void> {
      await client.setRole({ room, sign: member.sign, role });
      notify(`${visibleText(member.peer)} is ${role === 'owner' ? 'the owner' : `a ${role}`} now.`);
    },
    async rotate(room: string): Promise<void> {
      await client.rotate({ room });
      notify('Began a new key. It was sent to every member.');
    },
  };
}

/** What is said in a room. */
function createMessageCalls({ client, notify, refuse, reportError }: RoomCallsDeps) {
  const quietly = (doing: string, call: Promise<unknown>): void => {
    call.catch((error: unknown) => reportError(doing, error));
  };
  const attachFile = async (room: string, file: DroppedFile): Promise<void> => {
    const data = toBase64(new Uint8Array(await file.arrayBuffer()));
    const name = file.name === '' ? 'file' : file.name.slice(0, 255);
    await client.attachBytes({ room, name, mime: mimeOf(file.type), data });
  };
  return {
    async send(input: Parameters<RoomsClient['send']>[0]): Promise<void> {
      await client.send(input);
    },
    edit: (input: Parameters<RoomsClient['edit']>[0]): Promise<void> => client.edit(input),
    async redact(room: string, messageId: string, reason: string | undefined): Promise<void> {
      await client.redact({ room, messageId, ...(reason === undefined ? {} : { reason }) });
      notify('Removed the message for everybody who reads the room from now on.');
    },
    /** Sets the reaction, or takes it back where this peer has set it. */
    async react(
      room: string,
      item: RoomMessageItem,
      { emoji, me }: { readonly emoji: string; readonly me: string },
    ): Promise<void> {
      const isOff = item.reactions.some((one) => one.emoji === emoji && one.peers.includes(me));
      await client.react({ room, messageId: item.messageId, emoji, isOff });
    },
    async cancelSending(room: string, messageId: string): Promise<void> {
      await client.cancelSending({ room, messageId });
      notify('Took the message back before it was sent.');
    },
    retrySending: (room: string, messageId: string): Promise<void> => client.retrySending({ room, messageId }),
    /** Asks for files; one goes at once, several are answered and not sent yet. */
    async attach(room: string): Promise<RoomFileChoice | null> {
      return (await client.attach({ room })).choice;
    },
    attachChosen: (room: string, choiceId: string): Promise<void> => client.attachChosen({ room, choiceId }),
    /** Pasted or dropped, one after the other; what is too large or fails is said by name, and the others go on. */
    async attachFiles(
      room: string,
      files: readonly DroppedFile[],
      isWanted: (file: DroppedFile) => boolean = () => true,
    ): Promise<void> {
      for (const file of files) {
        if (!isWanted(file)) continue;
        if (file.size > maxDroppedBytes) {
          refuse(
            `${visibleText(file.name)}: above 16 MiB. Attach it from disk instead, up to 2 GiB are sent in pieces.`,
          );
          continue;
        }
        try {
          await attachFile(room, file);
        } catch (error) {
          reportError(`Send ${visibleText(file.name)}`, error);
        }
      }
    },
    async saveAttachment(room: string, messageId: string): Promise<void> {
      const { path } = await client.saveAttachment({ room, messageId });
      notify(`Saved as ${visibleText(path)}.`);
    },
    cancelTransfer: (transferId: string): Promise<void> => client.cancelTransfer({ transferId }),
    async requestKeys(room: string): Promise<void> {
      await client.requestKeys({ room });
      notify('Asked for the keys that are missing. Messages open as answers come.');
    },
    markRead: (room: string, seq: number): void => quietly('Mark as read', client.markRead({ room, seq })),
    setDraft: (room: string, text: string): void => quietly('Keep the draft', client.setDraft({ room, text })),
    /** A hint to others: whoever misses it has lost nothing. */
    setTyping: (room: string, isTyping: boolean): void => void client.setTyping({ room, isTyping }).catch(() => {}),
    async setMuted(room: string, isMuted: boolean): Promise<void> {
      await client.setMuted({ room, isMuted });
      notify(isMuted ? 'Muted: it counts, and says nothing.' : 'It notifies again.');
    },
    copyText: (text: string): void =>
      copyText(text) ? notify('Copied the text.') : refuse('The clipboard refused the text.'),
    copyId: (room: string): void =>
      copyText(room) ? notify('Copied the id of the room.') : refuse('The clipboard refused the id.'),
    setPresence: (presence: Parameters<RoomsClient['setPresence']>[0]): Promise<void> => client.setPresence(presence),
  };
}

/** Creates them over the engine's client. */
export function createRoomCalls(deps: RoomCallsDeps) {
  return { ...createMembershipCalls(deps), ...createMessageCalls(deps) };
}
