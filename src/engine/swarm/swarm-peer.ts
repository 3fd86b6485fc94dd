/**
 * The swarm's own peer, `swarm`, a coordinator: it commands workers and puts tasks into their queue (A2, I3).
 * Law: what it signs and seals with is issued once, when it is first needed, and works on while the key store is locked, as a worker's
 * does.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { PeerLink } from '../connections/peer-link.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { eraseSecrets, type PeerSecrets } from '../identity/peer-secrets.ts';

/** Its name in the workspace. */
export const swarmPeerName = 'swarm';

export interface SwarmPeer extends Disposable {
  /** Throws what issuing throws; the next call tries again, for example after the key store was unlocked. */
  own(): Promise<OwnCredentials>;
  /** Gives it the secrets that count now, if it has its keys; they are owned from then on. */
  followSecrets(secrets: PeerSecrets): void;
}

/** Creates it without keys. Once disposed it has none any more, and gets none. */
export function createSwarmPeer(deps: {
  readonly issueCredentials: IssueCredentials;
  readonly workspace: string;
  /** Its way to the engine in use, which begins when it has its keys. */
  readonly link: Pick<PeerLink, 'begin'>;
}): SwarmPeer {
  const { issueCredentials, workspace, link } = deps;
  let standing: Promise<OwnCredentials> | undefined;
  let isDisposed = false;

  async function stand(): Promise<OwnCredentials> {
    const given = await issueCredentials({ peer: swarmPeerName, roles: ['coordinator'], queues: [] });
    const own = takeCredentials(given, { workspace, peer: swarmPeerName });
    // It has no inbox to open.
    own.boxSecret.dispose();
    if (isDisposed) {
      own.dispose();
      throw new VakError('closed', 'the swarm has ended with the app');
    }
    void link.begin();
    return own;
  }

  return {
    own() {
      if (standing === undefined) {
        const begun = stand();
        standing = begun;
        begun.catch(() => {
          standing = undefined;
        });
      }
      return standing;
    },
    followSecrets(secrets) {
      if (standing === undefined) return eraseSecrets(secrets);
      // Keys that are on their way may be older than these.
      standing.then(
        (own) => own.secrets.replace(secrets),
        () => eraseSecrets(secrets),
      );
    },
    dispose() {
      isDisposed = true;
      standing?.then((own) => own.dispose()).catch(() => {});
    },
  };
}
