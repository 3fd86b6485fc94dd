/**
 * Names of the consumers of a moment through which streams are read (protocol.md A4).
 * Law: a peer's readings share few names a stream, which a server can grant; who finds all of them taken waits for one.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { readerNames } from '../../../shared/protocol/reader-names.ts';
import { isToken } from '../../../shared/protocol/subject.ts';
import type { Randomness } from '../../ports/randomness.ts';

export interface ReaderNames {
  /** A name that no other reading of that stream has here. Throws `aborted`. */
  take(stream: string, signal?: AbortSignal): Promise<string>;
  /** It may be used again. */
  give(stream: string, name: string): void;
}

export interface ReaderNamesDeps {
  /** `_INBOX.<ws>.<peer>`; anything else, and names are made up. */
  readonly inboxPrefix: string | undefined;
  readonly randomness: Randomness;
}

/** Buckets are read whole by every peer, and watched for long: their names are made up, and granted as such. */
const bucketForm = /^(?:KV|OBJ)_/;

/** Whose inboxes begin so; undefined: nobody's. */
export function ownerOf(prefix: string | undefined): { readonly workspace: string; readonly peer: string } | undefined {
  const [root, workspace = '', peer = '', ...rest] = prefix?.split('.') ?? [];
  if (root !== '_INBOX' || rest.length > 0 || !isToken(workspace) || !isToken(peer)) return undefined;
  return { workspace, peer };
}

/** The names of one stream: those that are free, and who waits for one. */
interface Shelf {
  readonly free: string[];
  readonly waiting: Set<(name: string) => void>;
}

export function createReaderNames({ inboxPrefix, randomness }: ReaderNamesDeps): ReaderNames {
  const owner = ownerOf(inboxPrefix);
  const names = owner === undefined ? [] : readerNames(owner.workspace, owner.peer);
  const shelves = new Map<string, Shelf>();
  const isMadeUp = (stream: string): boolean => names.length === 0 || bucketForm.test(stream);

  function shelfOf(stream: string): Shelf {
    const shelf = shelves.get(stream) ?? { free: [...names], waiting: new Set() };
    shelves.set(stream, shelf);
    return shelf;
  }
  /** Any of the free ones: another process of this peer takes its own by chance, too. */
  function takeFree({ free }: Shelf): string | undefined {
    const at = (randomness.bytes(1)[0] ?? 0) % Math.max(1, free.length);
    return free.splice(at, 1)[0];
  }
  function waitFor({ waiting }: Shelf, stream: string, signal: AbortSignal | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        waiting.delete(give);
        signal?.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        end();
        reject(new VakError('aborted', `stream ${stream}: the reading was cancelled`));
      };
      const give = (name: string): void => {
        end();
        resolve(name);
      };
      waiting.add(give);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  return {
    async take(stream, signal) {
      if (isMadeUp(stream)) return `reader_${Buffer.from(randomness.bytes(12)).toString('hex')}`;
      const shelf = shelfOf(stream);
      return takeFree(shelf) ?? (await waitFor(shelf, stream, signal));
    },
    give(stream, name) {
      if (isMadeUp(stream)) return;
      const shelf = shelfOf(stream);
      const [next] = shelf.waiting;
      if (next === undefined) shelf.free.push(name);
      else next(name);
    },
  };
}
