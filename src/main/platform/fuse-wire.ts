/**
 * The fuses of the running program: switches in Electron's executable that a release has set (docs/packaging.md).
 * Law: they are read from the file that runs, not from what the build meant.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands before the fuses in Electron's executable. */
const sentinel = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', 'latin1');
/** Version and count of fuses follow the sentinel, a byte each. */
const headBytes = 2;
const readBytes = 4 * 1024 * 1024;

/** Version 1 of the wire, in its order; whether each is on in a release (build/electron-builder.yml). */
export const releasedFuses: readonly (readonly [name: string, isOn: boolean])[] = [
  ['RunAsNode', false],
  ['EnableCookieEncryption', true],
  ['EnableNodeOptionsEnvironmentVariable', false],
  ['EnableNodeCliInspectArguments', false],
  ['EnableEmbeddedAsarIntegrityValidation', true],
  ['OnlyLoadAppFromAsar', true],
  ['LoadBrowserProcessSpecificV8Snapshot', false],
  ['GrantFileProtocolExtraPrivileges', false],
];

/** The file with the fuses: the program itself, on macOS its framework. */
export function fuseFile(executable: string, platform: NodeJS.Platform): string {
  if (platform !== 'darwin') return executable;
  return join(executable, '..', '..', 'Frameworks', 'Electron Framework.framework', 'Electron Framework');
}

function wrongIn(wire: Buffer): readonly string[] {
  return releasedFuses.flatMap(([name, isOn], at) => (wire[at] === (isOn ? 0x31 : 0x30) ? [] : [name]));
}

/**
 * Names of the fuses that are not as a release has them; null: the file has no wire of version 1. It is read in parts of 4 MiB, so that
 * others get their turns. Throws what the system says of a file that cannot be read.
 */
export async function wrongFuses(file: string): Promise<readonly string[] | null> {
  const needed = sentinel.length + headBytes + releasedFuses.length;
  const handle = await open(file);
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, null);
      const part = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const at = part.indexOf(sentinel);
      if (at >= 0 && part.length >= at + needed) {
        const wire = part.subarray(at + sentinel.length);
        return wire[0] === 1 ? wrongIn(wire.subarray(headBytes)) : null;
      }
      if (bytesRead === 0) return null;
      rest = Buffer.from(part.subarray(Math.max(0, at >= 0 ? at : part.length - needed)));
    }
  } finally {
    await handle.close();
  }
}
