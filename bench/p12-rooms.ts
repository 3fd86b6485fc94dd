/**
 * P12: rooms beside the raw primitives that they cannot do without: a new key to all members, a log replayed, a room opened, a file up
 * and down. `VAK_BENCH_MIB`: size of the file, 1 024 unless told.
 */
import { randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fabric } from '../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../src/engine/bus/memory/embedded-fabric.ts';
import { runtimePrimitives } from '../src/engine/crypto/runtime-primitives.ts';
import { deriveX25519PublicKey, openX25519Key } from '../src/engine/crypto/x25519.ts';
import { createSecret } from '../src/engine/identity/secret.ts';
import { createRecordChecks } from '../src/engine/identity/signed-record.ts';
import { openMedia } from '../src/engine/rooms/media-opening.ts';
import { type MediaSummary, sealMedia } from '../src/engine/rooms/media-sealing.ts';
import { createRoomKeyExchange } from '../src/engine/rooms/room-key-exchange.ts';
import { commitRoomKey, createRoomKey } from '../src/engine/rooms/room-keys.ts';
import { toBase64Url } from '../src/shared/base/base64url.ts';
import { ports } from './engines.ts';
import {
  type BenchRoom,
  rawSigningKey,
  rawVerifications,
  replay,
  roomOfEntries,
  roomOfMembers,
} from './room-places.ts';
import { openSpokenRoom } from './room-spoken.ts';
import type { Comparison, Group, Side } from './rounds.ts';
import { asyncRateOf } from './timed-work.ts';

const memberCounts = [10, 100, 1_000] as const;
const entryCount = 10_000;
const messageCount = 10_000;
const mib = 2 ** 20;
const fileMib = Number(process.env['VAK_BENCH_MIB'] ?? 1_024);
const never = new AbortController().signal;

/** How long it takes once, ms; short work is repeated. */
const msSide = (work: () => Promise<void> | void): Side => ({
  unit: 'ms',
  measure: async () => 1_000 / (await asyncRateOf(async () => await work(), 1)),
});

/** A new key goes to all members of a room: sealed, signed, as JSON. */
function rekeySides(room: BenchRoom): readonly [Side, Side] {
  const box = deriveX25519PublicKey(new Uint8Array(32).fill(9));
  const key = createRoomKey(ports.randomness);
  let sentCount = 0;
  const { signer, log } = { signer: room.owner, log: room.log };
  const exchange = createRoomKeyExchange({
    ...{ signer, boxes: () => [], verifier: createRecordChecks().verifier, logOf: () => log },
    keyring: { keyOf: () => key } as never,
    boxOf: () => ({ box: toBase64Url(box) }),
    publish: async () => void sentCount++,
    ...{ clock: ports.clock, randomness: ports.randomness, onChange: () => {} },
  });
  const start = log.epochs().at(-1);
  const others = (log.standing()?.members.size ?? 0) - 1;
  const signing = rawSigningKey();
  const inner = randomBytes(300);
  const { hsalsa20, blake2b, xsalsa20Poly1305, sha256 } = runtimePrimitives;
  const ours = msSide(async () => {
    const before = sentCount;
    if (start !== undefined) await exchange.handOut(log, start);
    if (sentCount - before !== others) throw new Error(`${sentCount - before} of ${others} members were given the key`);
  });
  const raw = msSide(() => {
    for (let at = 0; at < others; at++) {
      const ephemeral = openX25519Key(ports.randomness.bytes(32));
      const boxKey = hsalsa20(ephemeral.agree(box), new Uint8Array(16));
      const nonce = blake2b(Buffer.concat([ephemeral.publicKey, box]), 24);
      const sealed = xsalsa20Poly1305.seal({ key: boxKey, nonce, text: inner, aad: new Uint8Array(0) });
      commitRoomKey(key);
      sign(null, sha256(sealed), signing);
    }
  });
  return [ours, raw];
}

/**
 * Memory of the process's own, bytes: without files that are mapped, which the store's database has as large as they are. Where the system
 * does not tell it apart it is all that is resident.
 */
function ownMemory(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return kib === undefined ? process.memoryUsage.rss() : Number(kib) * 1_024;
}

/** What comes of an author in pieces, thrown away. */
async function drain(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of pieces) size += piece.length;
  return size;
}

async function* fileOf(sizeMib: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(randomBytes(mib));
  for (let at = 0; at < sizeMib; at++) yield piece;
}

/** The primitives of so many bytes: each once encrypted, and hashed so often. */
function rawMedia(hashCount: number): void {
  const { chacha20Poly1305, sha256 } = runtimePrimitives;
  const text = new Uint8Array(65_536);
  const input = { key: new Uint8Array(32), nonce: new Uint8Array(12), text, aad: new Uint8Array(0) };
  for (let at = 0; at < fileMib * 16; at++) {
    chacha20Poly1305.seal(input);
    for (let hash = 0; hash < hashCount; hash++) sha256(text);
  }
}

/** A file on its way up and down, through the embedded store on disk. */
function mediaSides(fabric: Fabric) {
  const roomKey = createSecret(new Uint8Array(32).fill(1));
  const bucket = fabric.durable.objects('VAK_MEDIA_2_ws_bench');
  const stored = new Map<number, MediaSummary>();

  async function up(sizeMib: number): Promise<void> {
    const sealing = sealMedia(fileOf(sizeMib), { roomKey, randomness: ports.randomness, signal: never });
    await bucket.put(`file-${sizeMib}`, sealing.sealed, { signal: never });
    stored.set(sizeMib, sealing.summary());
  }
  async function down(sizeMib: number): Promise<void> {
    if (!stored.has(sizeMib)) await up(sizeMib);
    const media = stored.get(sizeMib);
    if (media === undefined) throw new Error('nothing was stored');
    const read = () => bucket.get(`file-${sizeMib}`, { signal: never });
    if ((await drain(openMedia(read, media, { roomKey, signal: never }))) !== sizeMib * mib)
      throw new Error('bytes are missing');
  }
  /** How much more memory the process had at most while it ran, MiB; at least 1. */
  async function extraMib(work: () => Promise<void>): Promise<number> {
    const before = ownMemory();
    let most = before;
    const look = (): void => {
      most = Math.max(most, ownMemory());
    };
    const timer = setInterval(look, 20);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
    look();
    return Math.max(1, (most - before) / mib);
  }
  const memorySide = (sizeMib: number): Side => ({
    unit: 'MiB',
    measure: () =>
      extraMib(async () => {
        await up(sizeMib);
        await down(sizeMib);
      }),
  });
  return {
    'file up': msSide(() => up(fileMib)),
    'seal and hash': msSide(() => rawMedia(1)),
    'file down': msSide(() => down(fileMib)),
    'hash, hash, hash and open': msSide(() => rawMedia(3)),
    'memory of a file': memorySide(fileMib),
    'memory of an eighth of it': memorySide(Math.max(1, Math.floor(fileMib / 8))),
  };
}

const named = (prefix: string, [ours, raw]: readonly [Side, Side]): Group['sides'] => ({
  [prefix]: ours,
  [`${prefix}, primitives`]: raw,
});

const besidePrimitives = (title: string, ours: string, more: Partial<Comparison> = {}): Comparison => ({
  ...{ title, ours, peer: `${ours}, primitives` },
  ...more,
});

const comparisons: readonly Comparison[] = [
  ...memberCounts.map((count) =>
    besidePrimitives(`a new key to ${count} members : sealing and signing`, `rekey ${count}`),
  ),
  ...memberCounts.map((count) =>
    besidePrimitives(`who joins ${count} members replays the log : signatures`, `join ${count}`),
  ),
  besidePrimitives(`log of ${entryCount} entries replayed : signatures`, 'replay', { target: { atMost: 1.6 } }),
  besidePrimitives(`room of ${messageCount} messages read whole : signatures, keys, opening`, 'read whole'),
  { title: `first screen of ${messageCount} messages : all of them`, ours: 'first screen', peer: 'read whole' },
  { title: `file of ${fileMib} MiB up : seal, hash`, ours: 'file up', peer: 'seal and hash' },
  { title: `file of ${fileMib} MiB down : 3 hashes, open`, ours: 'file down', peer: 'hash, hash, hash and open' },
  {
    title: `extra memory, ${fileMib} MiB : an eighth of it`,
    ours: 'memory of a file',
    peer: 'memory of an eighth of it',
  },
];

export async function openRoomsGroup(): Promise<Group> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-bench-'));
  const fabric = await createEmbeddedFabric({ ...ports, folder: join(folder, 'media'), durability: 'written' });
  await fabric.durable.ensureObjects('VAK_MEDIA_2_ws_bench');
  const rooms = memberCounts.map((count) => [count, roomOfMembers(count)] as const);
  const long = roomOfEntries(entryCount);
  const replaySides = (room: BenchRoom): readonly [Side, Side] => [
    msSide(() => replay(room)),
    msSide(rawVerifications(room)),
  ];
  const spoken = await openSpokenRoom(messageCount);
  return {
    plan: 'P12',
    sides: {
      ...Object.assign({}, ...rooms.map(([count, room]) => named(`rekey ${count}`, rekeySides(room)))),
      ...Object.assign({}, ...rooms.map(([count, room]) => named(`join ${count}`, replaySides(room)))),
      ...named('replay', replaySides(long)),
      'read whole': msSide(spoken.readWhole),
      'read whole, primitives': msSide(spoken.primitives),
      'first screen': msSide(spoken.firstScreen),
      ...mediaSides(fabric),
    },
    comparisons,
    async close() {
      await fabric.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
