// Small tar and zip archives for the tests of the archive reader and of the stand-in runtime.
import { deflateRawSync, gzipSync } from 'node:zlib';

/** A gzipped tar file of the given members (name → bytes). */
export function makeTarball(members) {
  const blocks = Object.entries(members).flatMap(([name, bytes]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(bytes.length.toString(8).padStart(11, '0'), 124);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A zip file of the given members (name → bytes); names in `stored` are not packed. */
export function makeZip(members, { stored = [], mode = 0o755 } = {}) {
  const locals = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(members)) {
    const isStored = stored.includes(name) || bytes.length === 0;
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(isStored ? 0 : 8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE((0o100000 + mode) * 0x10000, 38);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}
