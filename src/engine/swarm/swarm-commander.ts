/**
 * The swarm's own peer, `swarm`: signs what workers are asked (S5, E13, I4).
 * Law: it holds a signing key and nothing else of its credentials; that key works on while the key store is locked, as a worker's does.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Bus, RequestOptions } from '../bus/bus.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import { createSessionId, type Randomness } from '../ports/randomness.ts';

/** Its name in the workspace. */
const peer = 'swarm';

/** What a commander is made of. */
export interface SwarmCommanderDeps {
  readonly issueCredentials: IssueCredentials;
  readonly bus: Pick<Bus, 'request'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly heads: HeadStore;
  readonly workspace: string;
}

/** A request to a worker; `trace` is the request's own span. */
export interface WorkerOrder extends RequestOptions {
  readonly worker: string;
  readonly verb: 'run' | 'cancel';
  readonly payload: Uint8Array;
  readonly trace: TraceContext;
}

export interface SwarmCommander extends Disposable {
  /** By which workers know it. Its credentials are issued at the first call; throws what that throws. */
  grant(): Promise<Grant>;
  /** Signs a request and gives the worker's answer. Throws as `Bus.request`; what `grant` throws if it was not called before. */
  ask(order: WorkerOrder): Promise<Uint8Array>;
}

interface Standing {
  readonly own: OwnCredentials;
  readonly author: EnvelopeAuthor;
}

/** Creates the commander of one swarm: a new session, whose chain begins with its first request. */
export function createSwarmCommander(deps: SwarmCommanderDeps): SwarmCommander {
  const { issueCredentials, bus, clock, randomness, heads, workspace } = deps;
  const session = createSessionId(peer, randomness);
  let standing: Promise<Standing> | undefined;
  let isDisposed = false;

  async function stand(): Promise<Standing> {
    const given = await issueCredentials({ peer, roles: ['coordinator'], queues: [] });
    // Control messages are never sealed (E8): it needs no secret of the workspace.
    for (const { secret } of given.secrets) secret.fill(0);
    const own = takeCredentials({ ...given, secrets: [] }, { workspace, peer });
    own.boxSecret.dispose();
    if (isDisposed) {
      own.dispose();
      throw new VakError('closed', 'the swarm has ended with the app');
    }
    const { signer } = own;
    const author = createEnvelopeAuthor({ workspace, peer, session, kind: 'e', signer, clock, randomness, heads });
    return { own, author };
  }

  function standOnce(): Promise<Standing> {
    if (standing === undefined) {
      const begun = stand();
      standing = begun;
      // The next call tries again, for example after the key store was unlocked.
      begun.catch(() => {
        standing = undefined;
      });
    }
    return standing;
  }

  return {
    grant: async () => (await standOnce()).own.grant,
    async ask({ worker, verb, payload, trace, ...options }) {
      const { author } = await standOnce();
      const subject = buildSubject({ plane: 'control', workspace, entity: worker, verb });
      return await new Promise((resolve) => {
        author.publish({ subject, payload, trace }, (bytes) => resolve(bus.request(subject, bytes, options)));
      });
    },
    dispose() {
      isDisposed = true;
      standing?.then(({ own }) => own.dispose()).catch(() => {});
    },
  };
}
