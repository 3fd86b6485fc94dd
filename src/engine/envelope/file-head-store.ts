/**
 * Chain heads in a file of the profile (protocol.md E12).
 * Law: heads of kind `e` reach the disk at most once a second, the others as soon as the disk is free; nothing here ever stops a
 * publish, and closing writes what is left.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { openOrBeginJsonFile } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Randomness } from '../ports/randomness.ts';

export interface FileHeadStore extends HeadStore {
  /** Resolves when no write is under way. */
  settled(): Promise<void>;
  /** Writes what is not on disk yet and closes; what is kept afterwards is lost. Never rejects: a failure is reported. */
  close(): Promise<void>;
}

/** What opening takes. */
export interface FileHeadStoreOptions {
  /** `heads.json` of the profile. */
  readonly path: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged, then it was set aside, or cannot be written. */
  readonly report: (error: VakError) => void;
}

/** Peers of a machine, three kinds each; beyond it the one kept longest ago gives way. */
const maxEntries = 4096;
const ephemeralEveryMs = 1000;

const headSchema = z.strictObject({
  source: z.string().min(1).max(512),
  seq: z.int().min(0),
  leaf: z.string().regex(/^[0-9a-f]{64}$/),
});
const fileSchema = z.strictObject({
  v: z.literal(1),
  heads: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}\.[eqd]$/), headSchema),
});
type HeadFile = z.infer<typeof fileSchema>;

/** What is on disk with what was kept here behind it, the oldest entries left out if there are too many. */
function merge(file: HeadFile, kept: ReadonlyMap<string, ChainHead>): HeadFile {
  const others = Object.entries(file.heads).filter(([key]) => !kept.has(key));
  return { ...file, heads: Object.fromEntries([...others, ...kept].slice(-maxEntries)) };
}

/** Opens the heads of a profile. Throws `unsupported` if a later version wrote the file, `forbidden` if it cannot be read. */
export async function openFileHeadStore(options: FileHeadStoreOptions): Promise<FileHeadStore> {
  const { clock, report } = options;
  const file = await openOrBeginJsonFile({ ...options, schema: fileSchema, empty: { v: 1, heads: {} } });
  /** Not on disk yet. */
  const kept = new Map<string, ChainHead>();
  let lastWriteMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | undefined;
  let timer: { readonly dueMs: number; readonly held: Disposable } | undefined;
  let isClosed = false;

  async function write(): Promise<void> {
    const batch = new Map(kept);
    lastWriteMs = clock.monotonic();
    try {
      await file.update((value) => merge(value, batch));
      for (const [key, head] of batch) if (kept.get(key) === head) kept.delete(key);
    } catch (error) {
      if (!isVakError(error)) throw error;
      // What is in `kept` is tried again with the next head that is kept, and on closing.
      report(error);
    }
  }

  /** Writes now, or after the write that is under way. */
  function flush(): Promise<void> {
    timer?.held.dispose();
    timer = undefined;
    const done = (writing ?? Promise.resolve()).then(() => (kept.size > 0 ? write() : undefined));
    const settled = done.finally(() => {
      if (writing === settled) writing = undefined;
    });
    writing = settled;
    return settled;
  }

  function schedule(kind: ChainKind): void {
    const nowMs = clock.monotonic();
    const dueMs = kind === 'e' ? Math.max(nowMs, lastWriteMs + ephemeralEveryMs) : nowMs;
    if (timer !== undefined && timer.dueMs <= dueMs) return;
    timer?.held.dispose();
    timer = { dueMs, held: clock.setTimer(dueMs - nowMs, () => void flush()) };
  }

  return {
    previous: (peer, kind) => kept.get(`${peer}.${kind}`) ?? file.read().heads[`${peer}.${kind}`],
    keep(peer, kind, head) {
      if (isClosed) return;
      const key = `${peer}.${kind}`;
      kept.delete(key);
      kept.set(key, head);
      schedule(kind);
    },
    async settled() {
      await writing;
    },
    async close() {
      isClosed = true;
      await flush();
      file.dispose();
    },
  };
}
