/**
 * A secret in a file of its own (protocol.md I3: "a 0600 file").
 * Law: only an ordinary file that is ours and that nobody else may touch is read; neither its path nor its content is ever told.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { VakError } from '../../shared/base/vak-error.ts';
import { systemCode } from '../identity/file-error.ts';
import { createSecret, type Secret } from '../identity/secret.ts';

/** Largest secret that is read, from a file or a pipe. */
export const maxSecretBytes = 64 * 1024;

// No link is followed, and a pipe is not waited for. On platforms without these flags they are undefined, so 0.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Anything beyond reading and writing by the owner: other people's bits, execution, set-id. */
const forbiddenBits = 0o7177;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  ELOOP: 'it is a link; give the file itself',
  EMLINK: 'it is a link; give the file itself',
  EACCES: 'this user may not read it; change its owner',
  EPERM: 'this user may not read it; change its owner',
  ENXIO: 'it is no ordinary file',
  ENAMETOOLONG: 'the path is too long; is it the secret itself?',
};

function refuse(field: string, why: string): never {
  throw new VakError('invalid-input', `${field}: ${why}`, { details: { field } });
}

/** Cuts one line break off the end. Takes the bytes over: what is not part of the result is zeroed. */
export function toTrimmedSecret(bytes: Uint8Array, field: string): Secret {
  let length = bytes.length;
  if (bytes[length - 1] === 0x0a) length--;
  if (length < bytes.length && bytes[length - 1] === 0x0d) length--;
  const kept = bytes.slice(0, length);
  bytes.fill(0);
  if (length > 0) return createSecret(kept);
  return refuse(field, 'it is empty');
}

async function checkOwner(handle: FileHandle, field: string): Promise<void> {
  const { mode, uid } = await handle.stat();
  const own = process.getuid?.();
  // Windows has neither owners nor modes of this kind; the profile's folder is the user's own there.
  if (own === undefined) return;
  if (uid !== own) refuse(field, 'the file belongs to somebody else; change its owner');
  if ((mode & forbiddenBits) === 0) return;
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  refuse(field, `the file has mode ${shown}, others could read it; chmod 600 it`);
}

async function readBounded(handle: FileHandle, field: string): Promise<Uint8Array> {
  const room = new Uint8Array(maxSecretBytes + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await handle.read(room, filled, room.length - filled, filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === room.length) break;
  }
  const bytes = room.slice(0, filled);
  room.fill(0);
  if (filled <= maxSecretBytes) return bytes;
  bytes.fill(0);
  throw new VakError('limit-exceeded', `${field}: the file has more than ${maxSecretBytes} bytes`);
}

/**
 * Reads a secret from a file; `field` names the variable or option that gave the path. One line break at the end is cut off.
 * Throws `invalid-input`, `limit-exceeded`.
 */
export async function readSecretFile(path: string, field: string): Promise<Secret> {
  if (path.includes('\0')) refuse(field, 'the path is not valid');
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    const why = reasons[systemCode(error) ?? ''];
    if (why === undefined) throw error;
    return refuse(field, why);
  }
  try {
    if (!(await handle.stat()).isFile()) refuse(field, 'it is no ordinary file');
    await checkOwner(handle, field);
    return toTrimmedSecret(await readBounded(handle, field), field);
  } finally {
    await handle.close();
  }
}
