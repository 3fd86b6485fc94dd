/**
 * Signs what the swarm's workers are asked, as the peer `swarm` (S5, E13, I4).
 * Law: control messages are signed and never sealed (E8); all of them are one chain.
 */
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { RequestOptions } from '../bus/bus.ts';
import type { PeerLink } from '../connections/peer-link.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import { createSessionId, type Randomness } from '../ports/randomness.ts';
import { swarmPeerName as peer, type SwarmPeer } from './swarm-peer.ts';

/** What a commander is made of. */
export interface SwarmCommanderDeps {
  readonly own: Pick<SwarmPeer, 'own'>;
  /** Its way to the engine in use. */
  readonly link: Pick<PeerLink, 'bus' | 'reached'>;
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

export interface SwarmCommander {
  /** By which workers know it. Throws what issuing its credentials throws. */
  grant(): Promise<Grant>;
  /** Signs a request and gives the worker's answer. Throws as `Bus.request`, and as {@link grant}. */
  ask(order: WorkerOrder): Promise<Uint8Array>;
}

/** Creates the commander of one swarm: a new session, whose chain begins with its first request. */
export function createSwarmCommander(deps: SwarmCommanderDeps): SwarmCommander {
  const { own, link, clock, randomness, heads, workspace } = deps;
  const session = createSessionId(peer, randomness);
  let author: EnvelopeAuthor | undefined;

  async function authorOf(): Promise<EnvelopeAuthor> {
    const { signer } = await own.own();
    author ??= createEnvelopeAuthor({ workspace, peer, session, kind: 'e', signer, clock, randomness, heads });
    return author;
  }

  return {
    grant: async () => (await own.own()).grant,
    async ask({ worker, verb, payload, trace, ...options }) {
      const current = await authorOf();
      await link.reached();
      const subject = buildSubject({ plane: 'control', workspace, entity: worker, verb });
      return await new Promise((resolve) => {
        current.publish({ subject, payload, trace }, (bytes) => resolve(link.bus.request(subject, bytes, options)));
      });
    },
  };
}
