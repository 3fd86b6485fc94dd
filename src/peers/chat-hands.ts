/** What a chat lets its commands do. */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import type { RoomContent } from '../shared/protocol/room-content.ts';
import type { CliHost } from './cli/command.ts';
import type { RunningRooms } from './room-peer.ts';

export interface ChatFiles extends Pick<CliHost, 'clock' | 'signal'> {
  /** Names that do not begin at the root are of this one. */
  readonly folder: string;
}

export interface ChatHands {
  readonly running: RunningRooms;
  /** The room that is looked at. Throws `invalid-input` while there is none. */
  desk(): RoomDesk;
  /** Looks at another one. */
  enter(desk: RoomDesk): Promise<void>;
  /** The message of a number, as it is shown. Throws `invalid-input`. */
  messageIdOf(number: string): string;
  /** What this peer said last here. Throws `invalid-input` if nothing. */
  lastOwn(): string;
  say(content: RoomContent): Promise<void>;
  tell(text: string): void;
  /** Sees a message that is kept through until it is stored. */
  follow(desk: RoomDesk, messageId: string): void;
  /** For files on their way: the folder that names are of, and what tells the time and when to stop. */
  readonly files: ChatFiles;
  history(count: number): Promise<void>;
  quit(): void;
}
