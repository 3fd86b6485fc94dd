/**
 * Writes the lines of a bundle, and signs them at the end (docs/spec/triage.md D11).
 * Law: nothing of it is held but its digests; a line beyond the bounds is not written, and whoever adds it is told.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { BundleSink } from './bundle-file.ts';
import {
  type BundleManifest,
  bundleBounds,
  bundleLineBytes,
  digestOfDigests,
  digestOfLine,
  manifestMessage,
} from './bundle-format.ts';

/** What a line says. */
export interface BundleContent {
  readonly kind: string;
  readonly [name: string]: unknown;
}

export interface BundleWriter {
  /** Adds a line; false: it would be beyond the bounds, and is not there. Throws what the sink throws. */
  add(line: BundleContent): Promise<boolean>;
  /** Whether so many bytes more would be within the bounds, with room for the end. */
  hasRoom(sizeBytes?: number): boolean;
  /** Lines so far, by kind. */
  counts(): Readonly<Record<string, number>>;
  /** Writes the index and the signed manifest; gives the number of lines. */
  finish(): Promise<number>;
}

export interface BundleWriterOptions extends Pick<BundleManifest, 'ws' | 'peer' | 'operationId' | 'createdAt'> {
  readonly signer: Pick<NkeySigner, 'nkey' | 'sign'>;
  readonly sink: BundleSink;
}

const newline = utf8('\n');
/** Room for what is written last: the end, and an index of all lines. */
const reservedBytes = 16 * 1024 * 1024 + bundleBounds.lineBytes;
const reservedLines = 100;

/** Begins the file. Throws what the sink throws. */
export async function createBundleWriter({ sink, signer, ...named }: BundleWriterOptions): Promise<BundleWriter> {
  const digests: string[] = [];
  const counts: Record<string, number> = {};
  let written = 0;

  const manifestWith = (digest: string, signature: string): Uint8Array => {
    const { ws, peer, operationId, createdAt } = named;
    const line: BundleManifest = {
      ...{ kind: 'manifest', v: 1, ws, peer, operationId, createdAt, digest },
      ...{ signer: signer.nkey, signature },
    };
    return bundleLineBytes(line);
  };

  async function put(bytes: Uint8Array): Promise<void> {
    await sink.write(bytes);
    await sink.write(newline);
    written += bytes.length + 1;
  }

  const hasRoom = (sizeBytes = 0): boolean =>
    written + sizeBytes <= bundleBounds.fileBytes - reservedBytes &&
    digests.length < bundleBounds.lines - reservedLines;

  // As long as the one that takes its place.
  await put(manifestWith('0'.repeat(64), 'A'.repeat(86)));
  return {
    hasRoom,
    counts: () => counts,
    async add(line) {
      const bytes = bundleLineBytes(line);
      const isEnd = line.kind === 'end';
      if (bytes.length > bundleBounds.lineBytes || !(isEnd || hasRoom(bytes.length))) return false;
      await put(bytes);
      digests.push(digestOfLine(bytes));
      counts[line.kind] = (counts[line.kind] ?? 0) + 1;
      return true;
    },
    async finish() {
      let indexCount = 0;
      for (let from = 0; from < digests.length; from += bundleBounds.indexed) {
        const part = digests.slice(from, from + bundleBounds.indexed);
        await put(bundleLineBytes({ kind: 'index', from: from + 2, digests: part.join('') }));
        indexCount++;
      }
      const digest = digestOfDigests(digests);
      const signature = toBase64Url(signer.sign(manifestMessage({ ...named, digest })));
      await sink.finish(manifestWith(digest, signature));
      return 1 + digests.length + indexCount;
    },
  };
}
