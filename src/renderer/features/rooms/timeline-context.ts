/** What every row of a timeline is given. */
import type { RoomMemberReport } from '../../../shared/contract/rooms-contract.ts';

export interface TimelineContext {
  readonly room: string;
  /** This peer; undefined while the key store is locked. */
  readonly me: string | undefined;
  /** By the name that the log has for them. */
  readonly members: ReadonlyMap<string, Pick<RoomMemberReport, 'peer' | 'name' | 'peerState'>>;
  /** Their names. */
  readonly peers: ReadonlySet<string>;
  /** Why nothing can be said in the room; undefined: it can. */
  readonly whyNotSay: string | undefined;
  /** Puts the cursor into the field. */
  readonly onCompose: () => void;
}
