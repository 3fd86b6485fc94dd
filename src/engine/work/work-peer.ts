/**
 * A peer of the work plane on one engine: its outbox and chains, what it seals and signs with, whom it believes (protocol.md A4, B8, E8).
 * Law: one way to make one, whoever runs it; the engine that it was opened on is the only one that it ever speaks to durably.
 */
import type { Bus } from '../bus/bus.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { PeerFabric } from '../bus/fabric.ts';
import type { Journal } from '../bus/memory/journal.ts';
import { createEnvelopeReader, type EnvelopeReader } from '../envelope/envelope-reader.ts';
import { createEnvelopeSealer, type EnvelopeSealer } from '../envelope/envelope-sealer.ts';
import { createEnvelopeOpener, type EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { ReceivePolicy } from '../envelope/receive-policy.ts';
import { createSecretRegistry } from '../envelope/secret-registry.ts';
import { createStoredJudge, type StoredJudge, type StoredJudgeDeps } from '../envelope/stored-judge.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { keepOwnCard } from '../identity/own-card.ts';
import type { OwnCredentials } from '../identity/own-credentials.ts';
import { type DurablePeer, openDurablePeer } from '../outbox/durable-peer.ts';
import type { OutboxGuard } from '../outbox/outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { KnownGrants } from './known-grants.ts';

/** What it takes of the machine. */
export interface WorkPorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

/** What a peer judges by. */
export interface WorkJudging extends StoredJudgeDeps {
  readonly opener: EnvelopeOpener;
}

export interface WorkPeer {
  readonly workspace: string;
  readonly peer: string;
  /** Both as they were given: no further than its grant. */
  readonly bus: Bus;
  readonly durable: DurablePlane;
  readonly publisher: DurablePeer;
  readonly judge: StoredJudge;
  readonly judging: WorkJudging;
  readonly reader: EnvelopeReader;
  readonly resolve: KnownGrants['resolve'];
  readonly signer: NkeySigner;
  readonly sealer: EnvelopeSealer;
  /** Puts its heads on record, waits so long for what is not stored yet, and forgets its secrets. Gives whether all was stored. */
  close(limitMs: number): Promise<boolean>;
}

export interface WorkPeerDeps extends WorkPorts {
  /** They stay the caller's. */
  readonly own: OwnCredentials;
  /** Of one engine, behind the peer's permit. */
  readonly fabric: PeerFabric;
  /** The peer's own for that engine; closed with it. */
  readonly journal: Journal;
  readonly grants: KnownGrants;
  readonly policy: () => ReceivePolicy;
  /** Whoever follows the directory for it puts its card there, too. */
  readonly isCardKept?: boolean;
  /** As `OutboxDeps.guard`. */
  readonly guard?: OutboxGuard;
}

/** Opens it, and goes on with what waits in its journal. Throws as {@link openDurablePeer}. */
export async function openWorkPeer(deps: WorkPeerDeps): Promise<WorkPeer> {
  const { own, fabric, journal, grants, policy, isCardKept = false, clock, randomness, logger } = deps;
  const { ws: workspace, peer } = own.grant;
  const { signer } = own;
  const { bus, durable } = fabric;
  const registry = createSecretRegistry({ source: own.secrets, clock });
  const reader = createEnvelopeReader();
  const { checkSignature, resolve, knowledge } = grants;
  const opener = createEnvelopeOpener({ registry, workspace });
  const judging = { workspace, policy, checkSignature, reader, knowledge, opener };
  const sealer = createEnvelopeSealer({ registry, peer, clock, randomness });
  const publisher = await openDurablePeer({
    ...{ workspace, peer, signer, sealer, journal, clock, randomness, logger },
    ...{ status: fabric, durable: () => durable },
    ...(deps.guard === undefined ? {} : { guard: deps.guard }),
  });
  const keeping = isCardKept ? undefined : keepOwnCard({ card: own.card, fabric, clock, logger });
  return {
    ...{ workspace, peer, bus, durable, publisher, judging, reader, resolve, signer, sealer },
    judge: createStoredJudge(judging),
    async close(limitMs) {
      keeping?.dispose();
      try {
        return await publisher.close(limitMs);
      } finally {
        registry.forget();
      }
    },
  };
}
