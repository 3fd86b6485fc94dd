/** `/attach` and `/save` of a chat: files go from disk and to it, piece by piece (protocol.md R12, docs/spec/rooms.md R77). */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isVakError, VakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import type { ChatHands } from './chat-hands.ts';
import { splitQuoted } from './chat-words.ts';
import { checkInputFile } from './cli/input-file.ts';
import { checkNewFile, writeNewFile } from './cli/new-file.ts';
import { fileToSend, openFileIn, transferTold } from './room-files.ts';

/** As many are sent at a time as a drop into the window may hold. */
const maxFiles = 32;

const refuse = (message: string): never => {
  throw new VakError('invalid-input', message);
};

/** Sends files one after the other; all are looked at before the first goes. Throws what the first that fails throws. */
export async function attachFiles(rest: string, { desk, files, tell, follow }: ChatHands): Promise<void> {
  const paths = splitQuoted(rest).map((path) => resolve(files.folder, path));
  if (paths.length === 0) refuse('FILE is missing; /attach FILE… sends files');
  if (paths.length > maxFiles) refuse(`FILE: found ${paths.length} files, allowed: ${maxFiles} at a time`);
  const into = desk();
  for (const path of paths) await checkInputFile(path);
  for (const path of paths) {
    const { size } = await stat(path);
    const what = `${visibleText(path)} is on its way`;
    const options = transferTold(files, tell, { what, totalBytes: () => size });
    follow(into, await into.attachments.send(fileToSend(path), options));
  }
}

const replaceWord = '--replace';

/** Writes the file of a message, verified; over one that is there only if that is said. */
export async function saveFile(rest: string, hands: ChatHands): Promise<void> {
  const words = splitQuoted(rest);
  const mayReplace = words.includes(replaceWord);
  const [number = '', name, ...more] = words.filter((word) => word !== replaceWord);
  if (number === '') refuse('#N is missing; /save #N [FILE] saves the file of a message');
  if (more.length > 0) refuse('FILE: one name is expected; a name with spaces stands in quotes');
  const { files, tell } = hands;
  let totalBytes: number | undefined;
  const options = transferTold(files, tell, { what: 'read', totalBytes: () => totalBytes });
  const { attachment, bytes } = await openFileIn(hands.desk(), hands.messageIdOf(number), options);
  totalBytes = attachment.size;
  const path = resolve(files.folder, name ?? attachment.name);
  try {
    if (!mayReplace) await checkNewFile(path);
    await writeNewFile(path, bytes, { mayReplace });
  } catch (error) {
    if (!isVakError(error, 'exists')) throw error;
    throw new VakError('exists', `${error.message}, or put ${replaceWord} behind`, { cause: error });
  }
  tell(`saved ${visibleText(path)}, ${attachment.size} bytes, verified`);
}
