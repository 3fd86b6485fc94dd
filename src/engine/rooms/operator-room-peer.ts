/**
 * Opens the operator's rooms on an engine with what the app has: its outbox, its key store, the cards that it knows (docs/spec/rooms.md R62).
 * Law: constructs and connects. Through a read-only context nothing goes out, and reading goes on.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { deriveX25519PublicKey } from '../crypto/x25519.ts';
import { createEnvelopeAuthor, type EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { KeyStore, StoredBoxKey, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner, type NkeySigner } from '../identity/nkey.ts';
import type { Pins } from '../identity/pins.ts';
import { whyBlocked } from '../identity/recipient-check.ts';
import type { RecordChecks } from '../identity/signed-record.ts';
import type { OperatorOutbox } from '../outbox/operator-outbox.ts';
import { outboxFolder } from '../outbox/outbox-folder.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import { createSessionId, type Randomness } from '../ports/randomness.ts';
import type { CardBoxes } from './card-boxes.ts';
import type { OwnBox } from './key-package.ts';
import { createMembershipClient, type MembershipClient } from './membership-client.ts';
import type { OpenedRooms } from './operator-rooms.ts';
import { takeRoomFileKey } from './room-file-key.ts';
import type { RoomHeads } from './room-heads.ts';
import { createRoomKeyring } from './room-keyring.ts';
import type { RoomPeer } from './room-peer.ts';
import type { PresenceChoice } from './room-presence.ts';
import { openRooms } from './rooms.ts';

export interface OperatorRoomPeerDeps {
  readonly workspace: string;
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'update'>;
  readonly outbox: Pick<OperatorOutbox, 'publish'>;
  readonly pins: Pick<Pins, 'find'>;
  readonly cards: Pick<CardBoxes, 'boxOf'>;
  readonly judge: StoredJudge;
  readonly checks: RecordChecks;
  readonly heads: Pick<RoomHeads, 'highest' | 'raise'>;
  /** Heads of the profile's own chains. */
  readonly chainHeads: HeadStore;
  /** `rooms` of the profile. */
  readonly folder: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** What others are told, as it is now. */
  readonly choice: () => PresenceChoice;
  /** Told whether somebody answered for the logs. */
  readonly onService: (isThere: boolean) => void;
  readonly onChange: () => void;
}

/** Tells of a client’s every answer whether there is a service; whoever asks without end is ended with the rooms. */
function watched(
  client: MembershipClient,
  { onService, ending }: { readonly onService: (isThere: boolean) => void; readonly ending: AbortSignal },
): MembershipClient {
  async function told<T>(asking: Promise<T>): Promise<T> {
    try {
      const answer = await asking;
      onService(true);
      return answer;
    } catch (error) {
      if (isVakError(error, 'no-responders')) onService(false);
      throw error;
    }
  }
  return {
    append: (entry, options) => told(client.append(entry, { signal: ending, ...options })),
    mine: (signal = ending) => told(client.mine(signal)),
  };
}

/** Own boxes of an identity as it is now; what is derived is kept as long as the key. */
function createOwnBoxes(keyStore: OperatorRoomPeerDeps['keyStore'], peer: string): () => readonly OwnBox[] {
  const derived = new WeakMap<StoredBoxKey, OwnBox>();
  const boxOf = (key: StoredBoxKey): OwnBox => {
    const known = derived.get(key) ?? {
      publicKey: deriveX25519PublicKey(key.secret.reveal()),
      secretKey: key.secret,
    };
    derived.set(key, known);
    return known;
  };
  return () => {
    if (keyStore.state().kind !== 'unlocked') return [];
    const identity = keyStore.read().identities.find((one) => one.peer === peer);
    return (identity?.boxKeys ?? []).map(boxOf);
  };
}

/** How the operator's rooms publish. */
function publishingOf(
  { workspace: ws, outbox, pins }: OperatorRoomPeerDeps,
  { destination, readOnlyContext }: EngineInUse,
): Pick<RoomPeer, 'publishStored' | 'publishKept'> {
  const isBlocked = (subject: string): boolean => {
    const pin = pins.find({ ws, peer: parseSubject(subject).entity });
    return pin !== undefined && whyBlocked(pin) !== undefined;
  };
  return {
    async publishStored(draft, options) {
      const { stored } = await outbox.publish(draft, { ...options, destination });
      await stored;
    },
    async publishKept(draft) {
      // Nobody waits for it: whoever misses a key asks for it again.
      if (readOnlyContext !== undefined || isBlocked(draft.subject)) return;
      const { stored } = await outbox.publish(draft, { destination });
      // Why it was refused for good the outbox tells.
      stored.catch(() => undefined);
    },
  };
}

interface Speaker {
  readonly peer: string;
  readonly signer: NkeySigner;
  readonly ending: AbortSignal;
}

/** What this peer says live: what it asks of the service, and that it writes or has read. */
function liveOf(
  deps: OperatorRoomPeerDeps,
  { fabric, readOnlyContext }: EngineInUse,
  { peer, signer, ending }: Speaker,
): Pick<RoomPeer, 'client' | 'publishNow'> {
  const { workspace, chainHeads: heads, clock, randomness, onService } = deps;
  const session = createSessionId(peer, randomness);
  const ports = { clock, randomness };
  const author = createEnvelopeAuthor({ ...ports, workspace, peer, session, kind: 'e', signer, heads });
  const client = createMembershipClient({ ...ports, workspace, bus: fabric.bus, author });
  const publishNow = (draft: EnvelopeDraft): void => {
    try {
      author.publish(draft, (bytes) => fabric.bus.publish(draft.subject, bytes));
    } catch (error) {
      // What cannot be said live is not said.
      if (!isVakError(error)) throw error;
    }
  };
  const speaking = readOnlyContext === undefined ? { publishNow } : {};
  return { ...speaking, client: watched(client, { onService, ending }) };
}

/** Opens the rooms of an identity on an engine. Throws `locked`, and as {@link openRooms}. */
export async function openOperatorRooms(
  deps: OperatorRoomPeerDeps,
  engine: EngineInUse,
  { peer, signSeed }: StoredIdentity,
): Promise<OpenedRooms> {
  const { workspace, keyStore, cards, judge, checks, heads, clock, randomness, logger, onChange } = deps;
  const { fabric, destination, readOnlyContext } = engine;
  const held = createDisposer();
  const signer = held.add(createNkeySigner(signSeed));
  const ended = new AbortController();
  held.defer(() => ended.abort());
  try {
    const fileKey = held.add(await takeRoomFileKey(keyStore, randomness));
    const keyring = held.add(createRoomKeyring(keyStore, signer.nkey));
    const rooms = await openRooms({
      own: {
        ...{ workspace, peer, signer, bus: fabric.bus, durable: fabric.durable, judge, checks },
        ...liveOf(deps, engine, { peer, signer, ending: ended.signal }),
        ...publishingOf(deps, engine),
        isConnected: () => readOnlyContext === undefined && fabric.status().kind === 'connected',
      },
      ...{ keyring, boxes: createOwnBoxes(keyStore, peer), boxOf: cards.boxOf, heads, fileKey },
      folder: outboxFolder(deps.folder, { workspace, destination, peer }).path,
      ...{ clock, randomness, logger, onChange, choice: deps.choice },
    });
    held.add(rooms);
    return {
      ...{ rooms, peer, sign: signer.nkey, engine },
      dispose: () => held.dispose(),
      async close() {
        try {
          await rooms.close();
        } finally {
          held.dispose();
        }
      },
    };
  } catch (error) {
    held.dispose();
    throw error;
  }
}
