/**
 * Files in a room: sent as a sealed object and a message about it, and got back verified (protocol.md R12, docs/spec/rooms.md R47–R49, R53).
 * Law: an object lies in its sender's own bucket, or is none; one whose message was never kept is noted before it is stored, and removed.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { attachmentName } from '../../shared/protocol/attachment-name.ts';
import { type Attachment, isMime, type RoomContent } from '../../shared/protocol/room-content.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import type { DurablePlane, ObjectBucket } from '../bus/durable.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openMedia } from './media-opening.ts';
import { sealMedia } from './media-sealing.ts';
import { maxUploads, type RoomFileState } from './room-file.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { RoomReader } from './room-reader.ts';
import type { RoomSender } from './room-sender.ts';
import type { TimelineMessage } from './room-timeline.ts';

/** A file that is to be sent. */
export interface AttachmentFile {
  /** Its name or path; it is sent under the name that `attachmentName` makes of it. */
  readonly name: string;
  /** What is no type of R43 is sent as bytes. */
  readonly mime: string;
  readonly text?: string;
  /** The file from its beginning; called once more if the room's key changed meanwhile. */
  readonly read: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export interface TransferOptions {
  /** Told of how many bytes of the file have gone through. */
  readonly onProgress?: (doneBytes: number) => void;
  readonly signal: AbortSignal;
}

export interface OpenedAttachment {
  readonly attachment: Attachment;
  /** Throws as `openMedia`, `not-found` if the object is gone. After `corrupt` whoever has saved bytes throws them away. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface RoomAttachments {
  /**
   * Stores a file and keeps the message about it; resolves with that one's id. Throws `limit-exceeded` (2 GiB, or too many are under way),
   * `locked` (the room's key is not here), `aborted`, what reading the file and storing it throws, and as `RoomSender.say`; then nothing
   * of it is left.
   */
  send(file: AttachmentFile, options: TransferOptions): Promise<string>;
  /** The file of a message. Throws `not-found` (there is no such, or it was redacted), `forbidden` (a place that is not its sender's), `locked`. */
  open(messageId: string, options: TransferOptions): OpenedAttachment;
  /** Notes that a message is taken back: its object goes with it, once nothing waits that names it. */
  takeBack(content: RoomContent): Promise<void>;
  /** Removes objects whose message was not kept, for whatever reason. Throws what the store throws. */
  tidy(): Promise<void>;
}

export interface RoomAttachmentsDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly durable: Pick<DurablePlane, 'objects' | 'ensureObjects'>;
  readonly reader: RoomReader;
  readonly sender: Pick<RoomSender, 'say'>;
  readonly keyring: Pick<RoomKeyring, 'keyOf'>;
  readonly file: SharedJsonFile<RoomFileState>;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomness: Randomness;
}

const objectNameBytes = 16;
/** How often a file is sealed anew because the epoch ended meanwhile: who joins while it is stored is to read it too. */
const maxSeals = 3;
/** So long an object of another process may be under way, ms. */
const maxUploadMs = 24 * 3_600_000;

async function* counted(bytes: AsyncIterable<Uint8Array>, { onProgress }: TransferOptions): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of bytes) {
    yield piece;
    done += piece.length;
    onProgress?.(done);
  }
}

/**
 * The ring's keys live as long as the key store is open: what takes its time has its own, from the first byte that is asked for. What
 * nobody reads has none, as nobody would erase it.
 */
async function* withKey(
  take: () => Secret,
  bytes: (key: Secret) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const key = take();
  try {
    yield* bytes(key);
  } finally {
    key.dispose();
  }
}

const noKey = (epoch: number): VakError =>
  new VakError('locked', `attachment: the key of epoch ${epoch} is not here; it is asked for`, { retryable: true });

/** Notes what is stored before its message is kept. */
function createUploads({ file, clock }: Pick<RoomAttachmentsDeps, 'file' | 'clock'>) {
  const own = new Set<string>();

  const isSaid = ({ intents }: RoomFileState, object: string): boolean =>
    intents.some(({ kind, content }) => kind === 'attachment' && content.includes(JSON.stringify(object)));

  return {
    async begin(object: string): Promise<void> {
      own.add(object);
      await file.update((kept) => {
        if (kept.uploads.length >= maxUploads)
          throw new VakError('limit-exceeded', `attachment: ${maxUploads} are under way; wait until some are sent`);
        return { ...kept, uploads: [...kept.uploads, { object, atMs: clock.now() }] };
      });
    },
    /** Who has too many under way leaves it where it is. */
    async takeBack(object: string): Promise<void> {
      await file.update((kept) =>
        kept.uploads.length >= maxUploads ? kept : { ...kept, uploads: [...kept.uploads, { object, atMs: 0 }] },
      );
    },
    async giveUp(object: string): Promise<void> {
      own.delete(object);
      await file.update((kept) => ({
        ...kept,
        uploads: kept.uploads.map((one) => (one.object === object ? { object, atMs: 0 } : one)),
      }));
    },
    async end(object: string): Promise<void> {
      own.delete(object);
      await file.update((kept) => ({ ...kept, uploads: kept.uploads.filter((one) => one.object !== object) }));
    },
    /** Objects that no message waits for: of ended processes, or taken back. */
    orphans(): readonly string[] {
      const kept = file.read();
      const isOver = (atMs: number): boolean => clock.now() - atMs >= maxUploadMs;
      return kept.uploads
        .filter(({ object, atMs }) => !own.has(object) && isOver(atMs) && !isSaid(kept, object))
        .map(({ object }) => object);
    },
  };
}

/** Puts files into the own bucket. */
function createStoring(deps: RoomAttachmentsDeps) {
  const { workspace, peer, durable, reader, keyring, randomness } = deps;
  const bucketName = mediaBucket(workspace, peer);
  const uploads = createUploads(deps);
  let bucket: ObjectBucket | undefined;

  async function ownBucket(): Promise<ObjectBucket> {
    if (bucket !== undefined) return bucket;
    try {
      await durable.ensureObjects(bucketName);
    } catch (error) {
      // Whoever gave this peer its rights made it.
      if (!isVakError(error, 'forbidden') && !isVakError(error, 'unauthorized')) throw error;
    }
    bucket = durable.objects(bucketName);
    return bucket;
  }

  function keyNow(): { readonly epoch: number; readonly key: Secret } {
    const log = reader.log();
    const epoch = log.standing()?.epoch ?? 0;
    const key = keyring.keyOf(log, epoch);
    if (key === undefined) throw noKey(epoch);
    return { epoch, key: createSecret(key.reveal().slice()) };
  }

  async function remove(object: string): Promise<void> {
    await (await ownBucket()).delete(object);
    await uploads.end(object);
  }

  async function put(object: string, file: AttachmentFile, options: TransferOptions) {
    const { epoch, key } = keyNow();
    const { signal } = options;
    try {
      const sealing = sealMedia(counted(file.read(signal), options), { roomKey: key, randomness, signal });
      await (await ownBucket()).put(object, sealing.sealed, { signal });
      return { bucket: bucketName, object, epoch, ...sealing.summary() };
    } finally {
      key.dispose();
    }
  }

  return {
    uploads,
    remove,
    /** Stores a file under the key that is in force when it is done. */
    async store(object: string, file: AttachmentFile, options: TransferOptions) {
      for (let seals = 1; ; seals++) {
        await reader.catchUp(options.signal);
        const stored = await put(object, file, options);
        await reader.catchUp(options.signal);
        if (stored.epoch === reader.log().standing()?.epoch || seals === maxSeals) return stored;
      }
    },
  };
}

/** Creates those of one room. */
export function createRoomAttachments(deps: RoomAttachmentsDeps): RoomAttachments {
  const { workspace, durable, reader, sender, keyring, randomness } = deps;
  const { uploads, remove, store } = createStoring(deps);

  async function say(object: string, file: AttachmentFile, options: TransferOptions): Promise<string> {
    const { name, mime, text } = file;
    const words = text === undefined ? {} : { text };
    const stored = await store(object, file, options);
    const fields = { name: attachmentName(name), mime: isMime(mime) ? mime : 'application/octet-stream' };
    return await sender.say({ kind: 'attachment', ...stored, ...fields, ...words });
  }

  function found(messageId: string): { readonly message: TimelineMessage; readonly attachment: Attachment } {
    const message = reader.timeline().byId(messageId);
    const attachment = message?.isCounted === true ? reader.timeline().shown(message).attachment : undefined;
    if (message !== undefined && attachment !== undefined) return { message, attachment };
    throw new VakError('not-found', 'attachment: the message has none, was redacted, or could not be opened');
  }

  return {
    async send(file, options) {
      const object = toBase64Url(randomness.bytes(objectNameBytes));
      await uploads.begin(object);
      try {
        const messageId = await say(object, file, options);
        await uploads.end(object);
        return messageId;
      } catch (error) {
        // What cannot be removed now is noted, and removed later.
        await remove(object).catch(() => uploads.giveUp(object));
        throw error;
      }
    },
    open(messageId, options) {
      const { message, attachment } = found(messageId);
      const { bucket, object, epoch } = attachment;
      if (bucket !== mediaBucket(workspace, message.peer))
        throw new VakError(
          'forbidden',
          'attachment: its message names a place that is not its sender’s; nothing is read',
        );
      const find = (): Secret => {
        const key = epoch <= message.epoch ? keyring.keyOf(reader.log(), epoch) : undefined;
        if (key === undefined) throw noKey(epoch);
        return key;
      };
      find();
      const take = (): Secret => createSecret(find().reveal().slice());
      const read = (signal: AbortSignal) => durable.objects(bucket).get(object, { signal });
      const bytes = withKey(take, (roomKey) => openMedia(read, attachment, { roomKey, signal: options.signal }));
      return { attachment, bytes: counted(bytes, options) };
    },
    async takeBack(content) {
      if (content.kind === 'attachment') await uploads.takeBack(content.object);
    },
    async tidy() {
      for (const object of uploads.orphans()) await remove(object);
    },
  };
}
