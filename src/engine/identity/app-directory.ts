/**
 * The app's directory over the engine in use: follows it from one engine to the next, as the operator (protocol.md I1, I4).
 * Law: it begins when the key store was open once, and goes on while it is locked: a revocation waits for nobody's passphrase.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { type BusDirectory, createBusDirectory, type DirectorySelf } from './bus-directory.ts';
import type { KeyStore, KeyStoreContents } from './key-store.ts';
import { nkeyOf } from './operator-identity.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

/** An engine that the app uses: the same object as long as it is. */
export interface DirectoryEngine {
  readonly fabric: Fabric;
  readonly readOnlyContext: string | undefined;
}

export interface AppDirectoryDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'onChange'>;
  readonly records: WorkspaceRecords;
  readonly engine: () => DirectoryEngine | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface AppDirectory {
  /** Call it when another engine may be in use; resolves when it is followed. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** What was in the key store when it was open last. */
interface Known {
  readonly peer: string;
  readonly rootPublic: string;
  readonly holdsRoot: boolean;
  /** Signing keys by peer. */
  readonly signs: ReadonlyMap<string, string>;
}

interface Post {
  readonly engine: DirectoryEngine;
  readonly peer: string;
  readonly rootPublic: string;
}

function knownFrom({ identities, workspaces }: KeyStoreContents, workspace: string): Known | undefined {
  const found = workspaces.find((one) => one.workspace === workspace);
  const operator = identities.find(({ kind }) => kind === 'human');
  if (found === undefined || operator === undefined) return undefined;
  const { rootPublic, rootSeed } = found;
  const signs = new Map(identities.map((one) => [one.peer, nkeyOf(one)]));
  return { peer: operator.peer, rootPublic, holdsRoot: rootSeed !== null, signs };
}

/** Creates it at rest. */
export function createAppDirectory({ keyStore, records, engine, clock, logger }: AppDirectoryDeps): AppDirectory {
  const held = createDisposer();
  let known: Known | undefined;
  let post: Post | undefined;

  function learn(): void {
    if (keyStore.state().kind !== 'unlocked') return;
    try {
      known = knownFrom(keyStore.read(), records.workspace);
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('directory.no-identity', { code: error.code });
    }
  }

  function wanted(): Post | undefined {
    const inUse = engine();
    if (inUse === undefined || known === undefined) return undefined;
    const { peer, rootPublic } = known;
    if (post?.engine !== inUse || post.peer !== peer || post.rootPublic !== rootPublic)
      post = { engine: inUse, peer, rootPublic };
    return post;
  }

  const selfAs = ({ peer, rootPublic }: Post): DirectorySelf => ({
    ...{ peer, rootPublic },
    holdsRoot: () => known?.holdsRoot === true,
    ownSign: (name) => known?.signs.get(name),
  });

  const follower = createPlaceFollower<Post, BusDirectory>({
    wanted,
    async open(at) {
      const { fabric, readOnlyContext } = at.engine;
      const isReadOnly = readOnlyContext !== undefined;
      return createBusDirectory({ records, fabric, isReadOnly, clock, logger, self: selfAs(at) });
    },
    shut: (opened) => opened.close(),
    onChange() {},
    ...{ clock, logger, event: 'directory' },
  });

  held.add(
    keyStore.onChange(() => {
      learn();
      void follower.follow();
    }),
  );
  learn();
  return {
    follow: follower.follow,
    async close() {
      held.dispose();
      await follower.close();
    },
  };
}
