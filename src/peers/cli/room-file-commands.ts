/** `vak room send-file|get-file`: files in a room, sealed on their way and where they lie (protocol.md R12). */
import { resolve } from 'node:path';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { isMime } from '../../shared/protocol/room-content.ts';
import { fileToSend, openFileIn, transferTold, typeOfFile } from '../room-files.ts';
import { waitUntilStored } from '../room-saying.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { passNeed, roomNeed } from './example-needs.ts';
import { readId } from './id-input.ts';
import { checkInputFile } from './input-file.ts';
import { writeNewFile } from './new-file.ts';
import { readSeconds } from './number-input.ts';
import { inRoom, personNote } from './room-line.ts';

const talkOf =
  ({ output }: CliHost) =>
  (text: string): void =>
    output.talk(`vak: ${text}`);

function readType(given: string | undefined, path: string): string {
  if (given === undefined) return typeOfFile(path);
  if (isMime(given)) return given;
  throw new VakError('invalid-input', `--type: found ${given.length} characters, expected a type like image/png`);
}

const sendFile: Command = {
  words: ['room', 'send-file'],
  changes: 'bus',
  args: ['ROOM', 'FILE'],
  options: {
    text: { value: 'TEXT', help: 'what is said about it' },
    name: { value: 'NAME', help: 'name that it is sent under (default: its own)' },
    type: { value: 'TYPE', help: 'its type, like image/png (default: by its extension)' },
    timeout: { value: 'SECONDS', help: 'waits so long until the message is stored (default: 15)' },
  },
  summary: 'Sends a file to a room, up to 2 GiB.',
  notes: `The file is sealed with a key of its own and lies in the bucket of whoever sends it; only who reads the message can open it. Prints
{room, messageId, seq, epoch}. ${personNote}`,
  needs: `notes.txt is a file; ${roomNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room send-file Deploys notes.txt --text 'what changed' --context prod`,
  async run(input, host) {
    const { option } = input;
    const path = input.args[1] ?? '';
    const mime = readType(option('type'), path);
    const limitMs = readSeconds(option('timeout') ?? '15', '--timeout');
    await checkInputFile(path);
    const text = option('text');
    return await inRoom(input, host, async (running, desk) => {
      const name = option('name');
      const file = fileToSend(path, {
        mime,
        ...(name === undefined ? {} : { name }),
        ...(text === undefined ? {} : { text }),
      });
      const messageId = await desk.attachments.send(file, transferTold(host, talkOf(host), { what: 'sent' }));
      const said = await waitUntilStored({ running, desk, messageId }, limitMs, host);
      host.output.data({ room: desk.room, ...said }, said.messageId);
      return undefined;
    });
  },
};

const getFile: Command = {
  words: ['room', 'get-file'],
  changes: 'bus',
  args: ['ROOM', 'ID'],
  options: { out: { value: 'FILE', help: 'where to, - for stdout (default: its own name, here)' } },
  summary: 'Gets the file of a message, verified; ID is its messageId.',
  notes: `Size and hash are verified before anything is written, and each piece once more as it is; never over a file that is there. Prints
{messageId, path, name, mime, sizeBytes}, but with --out - the bytes. Exit code 1: it is not what its sender sent. ${personNote}`,
  needs: `a message with a file (vak room send-file); ${roomNeed}; ${passNeed}`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak room tail Deploys --no-follow --json --context prod | jq -r 'select(.attachment) | .messageId' > ids
VAK_PASSPHRASE_FILE=~/pass vak room get-file Deploys "$(tail -1 ids)" --out copy.txt --context prod`,
  async run(input, host) {
    const messageId = readId(input.args[1] ?? '', 'vak room tail --json');
    const out = input.option('out');
    return await inRoom(input, host, async (_running, desk) => {
      const { attachment, bytes } = await openFileIn(
        desk,
        messageId,
        transferTold(host, talkOf(host), { what: 'read' }),
      );
      const { name, mime, size } = attachment;
      if (out === '-') {
        for await (const piece of bytes) {
          host.output.print(piece);
          if (!(await host.output.isTaken())) break;
        }
        return exitCodes.done;
      }
      const path = resolve(out ?? name);
      await writeNewFile(path, bytes);
      host.output.data({ messageId, path, name, mime, sizeBytes: size }, visibleText(path));
      return exitCodes.done;
    });
  },
};

export const roomFileCommands: readonly Command[] = [sendFile, getFile];
