/**
 * Attachments as a window asks for them (product.md "Rooms", protocol.md R12).
 * Law: no path but one that the person chose is read or written; a preview is an image by its bytes, whatever is said of it.
 */
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomFileChoice, RoomTransfer } from '../../shared/contract/rooms-contract.ts';
import { attachmentName } from '../../shared/protocol/attachment-name.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import { fileSize, fileTypeOf, readFilePieces, saveFile } from './file-transfers.ts';
import { imageTypeOf } from './image-type.ts';
import type { AttachmentFile, TransferOptions } from './room-attachments.ts';
import { maxPreviewBytes } from './room-items.ts';
import type { RoomPlace } from './room-place.ts';

/** Bytes that were pasted or dropped; `data`: base64. */
export interface GivenFile {
  readonly name: string;
  readonly mime: string;
  readonly data: string;
}

export interface RoomMedia {
  /** Asks for files. One is sent, several are answered. Throws `aborted`, `limit-exceeded`, and what reading and sending it throws. */
  attach(
    place: RoomPlace,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly choice: RoomFileChoice | null }>;
  /** Sends what was chosen, once. Throws `not-found`. */
  attachChosen(place: RoomPlace, choiceId: string): Promise<void>;
  attachBytes(place: RoomPlace, file: GivenFile, signal: AbortSignal): Promise<void>;
  /** Asks where to. Throws `aborted`, `not-found`, and what opening throws. */
  save(place: RoomPlace, messageId: string, signal: AbortSignal): Promise<{ readonly path: string }>;
  /** Throws `limit-exceeded`, `unsupported` for what is no image, and what opening throws. */
  preview(
    place: RoomPlace,
    messageId: string,
    signal: AbortSignal,
  ): Promise<{ readonly mime: string; readonly data: string }>;
  /** Ends one, or takes away one that failed. Throws `not-found`. */
  cancel(transferId: string): void;
  transfers(): readonly RoomTransfer[];
  /** Ends all: the rooms are no longer open. */
  endAll(): void;
}

export interface RoomMediaDeps {
  readonly prompt: Pick<OperatorPrompt, 'chooseOpenFiles' | 'chooseSaveFile'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onChange: () => void;
}

/** Files under way at once. */
const maxTransfers = 16;
/** Files that are chosen at a time, and choices that nobody has answered yet. */
const maxChosen = 32;
const maxChoices = 8;
const maxGivenBytes = 16 * 1024 * 1024;

type Planned = Pick<RoomTransfer, 'room' | 'messageId' | 'name' | 'direction' | 'sizeBytes'>;

function shapeOf(error: unknown): ErrorShape {
  if (isVakError(error)) return error.toShape();
  throw error;
}

/** What is under way. */
function createTransfers({ clock, randomness, onChange }: RoomMediaDeps) {
  const transfers = new Map<string, RoomTransfer>();
  const controls = new Map<string, AbortController>();

  function change(transferId: string, part: Partial<RoomTransfer>): void {
    const known = transfers.get(transferId);
    if (known !== undefined) transfers.set(transferId, { ...known, ...part });
    onChange();
  }

  function forget(transferId: string): void {
    transfers.delete(transferId);
    controls.delete(transferId);
    onChange();
  }

  /** Whoever asked is told of it; if nobody does any more, it stays listed. */
  function end(transferId: string, asker: AbortSignal, error: unknown): void {
    if (asker.aborted) fail(transferId, error);
    else forget(transferId);
  }

  const fail = (transferId: string, error: unknown): void =>
    change(transferId, { isWaiting: false, error: shapeOf(error) });

  return {
    fail,
    list: (): readonly RoomTransfer[] => [...transfers.values()],
    /** Lists one whose turn comes later; it can be cancelled meanwhile. */
    plan(planned: Planned): string {
      const transferId = createUuid(clock, randomness);
      transfers.set(transferId, { transferId, ...planned, doneBytes: 0, isWaiting: true, error: null });
      onChange();
      return transferId;
    },
    has: (transferId: string): boolean => transfers.has(transferId),
    /** Runs a planned one; it outlives whoever asked for it. What fails when nobody is there to be told of it stays listed. */
    async run(
      transferId: string,
      asker: AbortSignal,
      work: (options: TransferOptions) => Promise<void>,
    ): Promise<void> {
      if (controls.size >= maxTransfers) {
        const message = `attachment: ${controls.size} files are under way; wait until some are done`;
        const error = new VakError('limit-exceeded', message);
        end(transferId, asker, error);
        throw error;
      }
      const control = new AbortController();
      controls.set(transferId, control);
      change(transferId, { isWaiting: false });
      try {
        await work({ signal: control.signal, onProgress: (doneBytes) => change(transferId, { doneBytes }) });
        forget(transferId);
      } catch (error) {
        controls.delete(transferId);
        if (control.signal.aborted) {
          forget(transferId);
          throw new VakError('aborted', 'attachment: cancelled', { cause: error });
        }
        end(transferId, asker, error);
        throw error;
      }
    },
    cancel(transferId: string): void {
      if (!transfers.has(transferId))
        throw new VakError('not-found', 'cancel: there is no such transfer; it may have ended');
      controls.get(transferId)?.abort();
      if (!controls.has(transferId)) forget(transferId);
    },
    endAll(): void {
      for (const control of controls.values()) control.abort();
      for (const transferId of [...transfers.keys()]) if (!controls.has(transferId)) forget(transferId);
    },
  };
}

function decodeGiven({ data }: GivenFile): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(data, 'base64'));
  const isWhole = /^[A-Za-z0-9+/]*={0,2}$/.test(data) && data.length % 4 === 0;
  if (!isWhole) throw new VakError('invalid-input', 'attachment: the bytes are no base64');
  if (bytes.length <= maxGivenBytes) return bytes;
  throw new VakError('limit-exceeded', 'attachment: more than 16 MiB were pasted; send it as a file instead');
}

async function collect(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(piece);
  }
  return new Uint8Array(Buffer.concat(parts));
}

const tooLarge = (): VakError =>
  new VakError(
    'limit-exceeded',
    `preview: images of at most ${maxPreviewBytes / 2 ** 20} MiB are shown; save the file instead`,
  );

interface ChosenFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** On whose behalf. */
interface ChosenSending extends Pick<ChosenFile, 'path'> {
  readonly text?: string | undefined;
  readonly asker: AbortSignal;
}

interface Sending extends Pick<ChosenSending, 'asker'> {
  readonly file: AttachmentFile;
}

/** Creates it with nothing under way. */
export function createRoomMedia(deps: RoomMediaDeps): RoomMedia {
  const { prompt } = deps;
  const transfers = createTransfers(deps);

  /** Of several files each is told of where it stands. */
  const nobody = AbortSignal.abort();
  const choices = new Map<string, readonly ChosenFile[]>();

  const plan = ({ desk }: RoomPlace, { path, sizeBytes }: ChosenFile): string =>
    transfers.plan({ room: desk.room, messageId: null, name: attachmentName(path), direction: 'up', sizeBytes });

  /** Sends a file; the message about it goes when it is stored. */
  async function send({ desk }: RoomPlace, transferId: string, { file, asker }: Sending): Promise<void> {
    await transfers.run(transferId, asker, async (options) => {
      await desk.attachments.send(file, options);
    });
    desk.lookSoon();
  }

  async function sendChosen(place: RoomPlace, transferId: string, { path, asker, text }: ChosenSending): Promise<void> {
    const mime = await fileTypeOf(path);
    const read = (ending: AbortSignal) => readFilePieces(path, ending);
    const words = text === undefined ? {} : { text };
    await send(place, transferId, { file: { name: path, mime, ...words, read }, asker });
  }

  function keepChoice(chosen: readonly ChosenFile[]): RoomFileChoice {
    const choiceId = createUuid(deps.clock, deps.randomness);
    const [oldest] = choices.keys();
    if (oldest !== undefined && choices.size >= maxChoices) choices.delete(oldest);
    choices.set(choiceId, chosen);
    const files = chosen.map(({ path, sizeBytes }) => ({ name: visibleText(attachmentName(path)), sizeBytes }));
    return { choiceId, files };
  }

  return {
    async attach(place, text, signal) {
      const paths = await prompt.chooseOpenFiles({ title: 'Send files to the room' });
      if (paths.length > maxChosen)
        throw new VakError(
          'limit-exceeded',
          `attachment: ${paths.length} files were chosen; at most ${maxChosen} go at a time`,
        );
      const chosen: ChosenFile[] = [];
      for (const path of paths) chosen.push({ path, sizeBytes: await fileSize(path) });
      const [first] = chosen;
      if (first === undefined || chosen.length > 1) return { choice: keepChoice(chosen) };
      await sendChosen(place, plan(place, first), { ...first, text, asker: signal });
      return { choice: null };
    },
    async attachChosen(place, choiceId) {
      const chosen = choices.get(choiceId);
      if (chosen === undefined)
        throw new VakError('not-found', 'attachment: these files are not chosen any more; choose them again');
      choices.delete(choiceId);
      const planned = chosen.map((file) => ({ ...file, transferId: plan(place, file) }));
      for (const { transferId, path } of planned) {
        if (!transfers.has(transferId)) continue;
        try {
          await sendChosen(place, transferId, { path, asker: nobody });
        } catch (error) {
          // The others go on; it stays listed with its cause, unless it was cancelled.
          transfers.fail(transferId, error);
        }
      }
    },
    async attachBytes(place, file, signal) {
      const bytes = decodeGiven(file);
      const read = async function* () {
        yield bytes;
      };
      const mime = imageTypeOf(bytes) ?? file.mime;
      const transferId = plan(place, { path: file.name, sizeBytes: bytes.length });
      await send(place, transferId, { file: { name: file.name, mime, read }, asker: signal });
    },
    async save({ desk }, messageId, signal) {
      const { attachment } = desk.attachments.open(messageId, { signal });
      const name = attachmentName(attachment.name);
      const path = await prompt.chooseSaveFile({ title: 'Save the file', defaultName: name });
      const planned = {
        room: desk.room,
        messageId,
        name: visibleText(name),
        direction: 'down',
        sizeBytes: attachment.size,
      } as const;
      await transfers.run(transfers.plan(planned), signal, (options) =>
        saveFile(path, desk.attachments.open(messageId, options).bytes),
      );
      return { path };
    },
    async preview({ desk }, messageId, signal) {
      const { attachment, bytes } = desk.attachments.open(messageId, { signal });
      if (attachment.size > maxPreviewBytes) throw tooLarge();
      const image = await collect(bytes, maxPreviewBytes);
      const mime = imageTypeOf(image);
      if (mime === undefined)
        throw new VakError(
          'unsupported',
          'preview: its bytes are no image of a kind that is shown; save the file instead',
        );
      return { mime, data: Buffer.from(image).toString('base64') };
    },
    cancel: transfers.cancel,
    transfers: transfers.list,
    endAll: transfers.endAll,
  };
}
