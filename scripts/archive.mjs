// The two archive readers that set-up needs, streaming and without packages: one member of a .tgz, and chosen members of a .zip.
// Neither trusts the archive: a name that leaves the target folder is an error, and sizes are checked.
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { SetUpError } from './report.mjs';

const tarBlockBytes = 512;
const zipEndBytes = 22;
const zipEndSignature = 0x06054b50;
const zipEntrySignature = 0x02014b50;
const zipLocalHeaderBytes = 30;

/** Writes the member `name` of a gzipped tar file to `target`. Throws SetUpError when it is not there whole. */
export async function extractTarMember(tarball, name, target) {
  let isFound = false;
  await pipeline(
    createReadStream(tarball),
    createGunzip(),
    async function* (source) {
      for await (const part of tarMember(source, name)) {
        isFound = true;
        yield part;
      }
    },
    createWriteStream(target),
  );
  if (!isFound) throw new SetUpError(`${tarball} holds no ${name}`);
}

/** The bytes of one member. The source is read to its end, so that a cut-off archive is noticed by its reader. */
async function* tarMember(source, name) {
  const queue = createByteQueue(source);
  for (;;) {
    const block = await queue.takeWhole(tarBlockBytes);
    if (!block) return;
    const header = tarHeader(block);
    for await (const part of queue.takeParts(header.sizeBytes)) {
      if (header.name === name) yield part;
    }
    await queue.takeWhole(header.paddingBytes);
  }
}

/** Takes a stream's bytes in portions of the taker's choice. */
function createByteQueue(source) {
  const chunks = source[Symbol.asyncIterator]();
  let pending = Buffer.alloc(0);
  async function* takeParts(sizeBytes) {
    let leftBytes = sizeBytes;
    while (leftBytes > 0) {
      if (pending.length === 0) {
        const { value, done } = await chunks.next();
        if (done) throw new SetUpError('the archive ends inside one of its files');
        pending = value;
      }
      const part = pending.subarray(0, leftBytes);
      pending = pending.subarray(part.length);
      leftBytes -= part.length;
      yield part;
    }
  }
  /** The next bytes in one piece; undefined when the stream has ended before them. */
  async function takeWhole(sizeBytes) {
    if (pending.length === 0 && sizeBytes > 0) {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      pending = value;
    }
    const parts = [];
    for await (const part of takeParts(sizeBytes)) parts.push(part);
    return Buffer.concat(parts);
  }
  return { takeParts, takeWhole };
}

function tarHeader(block) {
  const text = (start, end) => block.toString('utf8', start, end).split('\0')[0];
  const sizeBytes = Number.parseInt(text(124, 136).trim() || '0', 8);
  const prefix = text(345, 500);
  return {
    name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100),
    sizeBytes,
    paddingBytes: (tarBlockBytes - (sizeBytes % tarBlockBytes)) % tarBlockBytes,
  };
}

/**
 * Extracts a zip file into `folder`. `place(name)` gives the path of a member below `folder`, or undefined to leave it out.
 * `onProgress(doneBytes, totalBytes)` counts unpacked bytes.
 */
export async function extractZip(zipFile, folder, { place, onProgress }) {
  const chosen = [];
  for (const entry of await readZipEntries(zipFile)) {
    const placed = entry.name.endsWith('/') ? undefined : place(entry.name);
    if (placed !== undefined) chosen.push({ ...entry, target: insideFolder(folder, placed) });
  }
  const totalBytes = chosen.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  let doneBytes = 0;
  for (const entry of chosen) {
    await extractEntry(zipFile, entry);
    doneBytes += entry.sizeBytes;
    onProgress?.(doneBytes, totalBytes);
  }
  return chosen.length;
}

function insideFolder(folder, name) {
  const target = resolve(folder, name);
  if (!target.startsWith(resolve(folder) + sep))
    throw new SetUpError(`the archive names a file outside its folder: ${name}`);
  return target;
}

async function readZipEntries(zipFile) {
  const handle = await open(zipFile);
  try {
    const { size } = await handle.stat();
    const tail = await readAt(handle, Math.max(0, size - zipEndBytes - 0xffff), size);
    let end = tail.length - zipEndBytes;
    while (end >= 0 && tail.readUInt32LE(end) !== zipEndSignature) end -= 1;
    if (end < 0) throw new SetUpError(`${zipFile} is not a whole zip file`);
    const offset = tail.readUInt32LE(end + 16);
    const directory = await readAt(handle, offset, offset + tail.readUInt32LE(end + 12));
    return parseZipDirectory(directory, tail.readUInt16LE(end + 10));
  } finally {
    await handle.close();
  }
}

async function readAt(handle, start, end) {
  const buffer = Buffer.alloc(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  if (bytesRead !== buffer.length) throw new SetUpError('the zip file is shorter than it says');
  return buffer;
}

function parseZipDirectory(directory, count) {
  const entries = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (directory.readUInt32LE(at) !== zipEntrySignature)
      throw new SetUpError('the directory of the zip file is damaged');
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      sizeBytes: directory.readUInt32LE(at + 24),
      mode: (directory.readUInt32LE(at + 38) >>> 16) & 0o777,
      offset: directory.readUInt32LE(at + 42),
      name: directory.toString('utf8', at + 46, at + 46 + nameBytes),
    });
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

async function extractEntry(zipFile, entry) {
  await mkdir(dirname(entry.target), { recursive: true });
  const handle = await open(zipFile);
  const local = await readAt(handle, entry.offset, entry.offset + zipLocalHeaderBytes).finally(() => handle.close());
  const start = entry.offset + zipLocalHeaderBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  const output = createWriteStream(entry.target);
  if (entry.packedBytes > 0) {
    const source = createReadStream(zipFile, { start, end: start + entry.packedBytes - 1 });
    await pipeline(entry.method === 8 ? [source, createInflateRaw(), output] : [source, output]);
  } else {
    await pipeline([Buffer.alloc(0)], output);
  }
  if (output.bytesWritten !== entry.sizeBytes) throw new SetUpError(`${entry.name} was not unpacked whole`);
  if (entry.mode) await chmod(entry.target, entry.mode);
}
