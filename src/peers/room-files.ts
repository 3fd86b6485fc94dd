/** Files of a room on this machine's disk: read to be sent, and written as they come (protocol.md R12). */
import { basename, extname } from 'node:path';
import type { AttachmentFile, OpenedAttachment, TransferOptions } from '../engine/rooms/room-attachments.ts';
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import type { CliHost } from './cli/command.ts';
import { openInputFile } from './cli/input-file.ts';

const toldEveryMs = 2_000;

/** Types of files that are looked at without being opened by hand; all others are bytes. */
const types: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
};

/** A type by the name's extension. */
export function typeOfFile(path: string): string {
  return types[extname(path).toLowerCase()] ?? 'application/octet-stream';
}

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);

/** What a transfer says of itself now and then; `totalBytes` as far as it is known. */
export function transferTold(
  { clock, signal }: Pick<CliHost, 'clock' | 'signal'>,
  tell: (text: string) => void,
  { what, totalBytes }: { readonly what: string; readonly totalBytes?: () => number | undefined },
): TransferOptions {
  let toldMs = clock.monotonic();
  return {
    signal,
    onProgress(doneBytes) {
      if (clock.monotonic() - toldMs < toldEveryMs) return;
      toldMs = clock.monotonic();
      const total = totalBytes?.();
      const share = total === undefined ? '' : ` of ${mebibytes(total)}`;
      tell(`${what}: ${mebibytes(doneBytes)}${share} MiB`);
    },
  };
}

async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openInputFile(path);
  try {
    yield* handle.createReadStream({ autoClose: false });
  } finally {
    await handle.close();
  }
}

/** A file to send, under its own name unless told otherwise. Reading it throws as `openInputFile`. */
export function fileToSend(
  path: string,
  { name, mime, text }: { readonly name?: string; readonly mime?: string; readonly text?: string } = {},
): AttachmentFile {
  const words = text === undefined ? {} : { text };
  return {
    ...{ name: name ?? basename(path), mime: mime ?? typeOfFile(path), read: () => contentOf(path) },
    ...words,
  };
}

/** The file of a message, read back to where it lies. Throws as opening does. */
export async function openFileIn(
  { reader, attachments }: RoomDesk,
  messageId: string,
  options: TransferOptions,
): Promise<OpenedAttachment> {
  while (reader.timeline().byId(messageId) === undefined && reader.hasOlder()) await reader.loadOlder(1_000);
  return attachments.open(messageId, options);
}
