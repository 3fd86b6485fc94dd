/** stdout into a file: every byte is written, or the stream fails. Node's own stream takes a short write (a full disk) for a whole one. */
import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

/** Whether a descriptor is a file, or a device that is no terminal: what is written to at once. */
export function isFileOutput(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isFile() || (stat.isCharacterDevice() && !isatty(fd));
}

/** A stream that writes whole chunks to a descriptor, which stays open. */
export function createFileOutput(fd: number): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Uint8Array, _, done) {
      try {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
