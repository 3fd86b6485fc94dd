/**
 * The peer under whose name developer commands publish: with keys, a grant and chains of its own, as any other has.
 * Law: it has its keys from the same issuer as every spawned peer, and drops them when the key store is locked. Its grant lasts
 * minutes: nobody who finds its key later can speak for it.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import { createEnvelopeSealer, type EnvelopeSealer } from '../envelope/envelope-sealer.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import { createSecretRegistry } from '../envelope/secret-registry.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import type { Clock } from '../ports/clock.ts';
import { createSessionId, type Randomness } from '../ports/randomness.ts';

/** A session of the peer, and who writes in it. */
export interface DeveloperSession {
  readonly session: string;
  readonly author: EnvelopeAuthor;
}

/** How a session's author differs from an honest one. */
export interface AuthorChanges {
  /** Another name than the peer's own. */
  readonly peer?: string;
  readonly isSealing?: boolean;
}

export interface DeveloperPeer extends Disposable {
  /** The session of a name: the same one until the keys are dropped. Throws `locked`, `forbidden` if the peer was revoked. */
  session(name: string): Promise<DeveloperSession>;
  /** An author for one session of its own, changed as told. Throws as `session`. */
  newSession(name: string, changes: AuthorChanges): Promise<DeveloperSession>;
}

/** What the peer is made of. */
export interface DeveloperPeerDeps {
  readonly issueCredentials: IssueCredentials;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly workspace: string;
}

const peerName = 'developer';

/** How long its grant lasts, ms; renewed at the half by the next command. */
const grantLifeMs = 10 * 60_000;

interface Keys {
  /** When the next command needs another grant, ms since the epoch. */
  readonly renewAtMs: number;
  readonly own: OwnCredentials;
  readonly sealer: EnvelopeSealer;
}

/** Creates the peer; it asks for its keys when it first needs them. */
export function createDeveloperPeer(deps: DeveloperPeerDeps): DeveloperPeer {
  const { issueCredentials, clock, randomness, workspace } = deps;
  const heads = createMemoryHeadStore();
  const sessions = new Map<string, DeveloperSession>();
  let keys: Keys | undefined;

  function dispose(): void {
    sessions.clear();
    keys?.own.dispose();
    keys = undefined;
  }

  async function takeKeys(): Promise<Keys> {
    if (keys !== undefined && clock.now() < keys.renewAtMs) return keys;
    dispose();
    const given = await issueCredentials({ peer: peerName, roles: ['coordinator'], queues: [], grantLifeMs });
    const own = takeCredentials(given, { workspace, peer: peerName });
    const registry = createSecretRegistry({ source: own.secrets, clock });
    const renewAtMs = own.grant.notAfter * 1000 - grantLifeMs / 2;
    keys = { renewAtMs, own, sealer: createEnvelopeSealer({ registry, peer: peerName, clock, randomness }) };
    return keys;
  }

  async function newSession(name: string, changes: AuthorChanges): Promise<DeveloperSession> {
    const { own, sealer } = await takeKeys();
    const { peer = peerName, isSealing = true } = changes;
    const session = createSessionId(name, randomness);
    const author = createEnvelopeAuthor({
      ...{ workspace, peer, session, kind: 'e', signer: own.signer, clock, randomness, heads },
      ...(isSealing ? { sealer } : {}),
    });
    return { session, author };
  }

  return {
    async session(name) {
      await takeKeys();
      const known = sessions.get(name) ?? (await newSession(name, {}));
      sessions.set(name, known);
      return known;
    },
    newSession,
    dispose,
  };
}
