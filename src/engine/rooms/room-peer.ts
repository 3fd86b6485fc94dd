/**
 * What a peer brings along for its rooms: itself, its keys, its place on disk (protocol.md §7).
 * Law: the app, `vak` and bots bring the same; rooms know nothing of which it is.
 */
import type { Bus } from '../bus/bus.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Secret } from '../identity/secret.ts';
import type { RecordChecks } from '../identity/signed-record.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { OwnBox } from './key-package.ts';
import type { MembershipClient } from './membership-client.ts';
import type { RoomHeads } from './room-heads.ts';
import type { BoxAnswer } from './room-key-exchange.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { PresenceChoice } from './room-presence.ts';

/** What a peer is, as far as rooms need it. */
export interface RoomPeer {
  readonly workspace: string;
  readonly peer: string;
  readonly signer: NkeySigner;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly checks: RecordChecks;
  readonly client: MembershipClient;
  /**
   * Publishes durably, under the id if one is given; resolves when the stream has it. Throws as `DurableAuthor.publish`, and why it was
   * not stored. Its outbox has `createFrameGuard` as its guard (R51).
   */
  readonly publishStored: (draft: EnvelopeDraft, options?: { readonly messageId: string }) => Promise<void>;
  /** Publishes durably; resolves when it is on disk. */
  readonly publishKept: (draft: EnvelopeDraft) => Promise<void>;
  /** Publishes on the bus at once, signed and kept nowhere. Without it nobody is told who writes or has read what (R54). */
  readonly publishNow?: (draft: EnvelopeDraft) => void;
  readonly isConnected: () => boolean;
}

export interface RoomsDeps {
  readonly own: RoomPeer;
  readonly keyring: RoomKeyring;
  /** Own boxes: of the present card, and of earlier ones. */
  readonly boxes: () => readonly OwnBox[];
  readonly boxOf: (peer: string, sign: string) => BoxAnswer;
  readonly heads: Pick<RoomHeads, 'highest' | 'raise'>;
  /** Of this peer's rooms in this workspace. */
  readonly folder: string;
  /** Key of the files, 32 bytes. */
  readonly fileKey: Secret;
  /** What others are told, as it is now. */
  readonly choice: () => PresenceChoice;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly onChange: () => void;
}
