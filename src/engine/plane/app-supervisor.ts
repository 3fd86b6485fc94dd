/**
 * The app's own dead-letter supervisor, on the engines that are the app's (protocol.md W3).
 * Law: once it has its keys it works whether the key store is locked or not; where it does not work that is told, and why.
 */
import type { ContextKind } from '../../shared/settings/settings-schema.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import type { DlqSupervisor } from '../work/dlq-supervisor.ts';
import { startSupervision } from '../work/supervision.ts';
import type { WorkPeer, WorkPorts } from '../work/work-peer.ts';

/** Its name in the workspace. */
export const supervisorPeerName = 'supervisor';

/** `failed`: it should work, and does not; it is tried again. `why`: null while it works. */
export interface SupervisorState {
  readonly kind: 'off' | 'running' | 'failed';
  readonly why: string | null;
}

/** An engine, and whose it is. */
export interface SupervisedPlace extends WorkPlace {
  readonly kind: ContextKind;
}

export interface AppSupervisorDeps extends WorkPorts {
  readonly workspace: string;
  /** The engine that may be written to now; the same object as long as it is the same engine. */
  readonly place: () => SupervisedPlace | undefined;
  readonly isUnlocked: () => boolean;
  readonly issueCredentials: IssueCredentials;
  /** Opens its peer there. */
  readonly openPeer: (own: OwnCredentials, place: WorkPlace) => Promise<WorkPeer>;
  readonly onChange: () => void;
}

export interface AppSupervisor {
  /** Call it when engine or key store may be another; resolves when it has moved there. */
  follow(): Promise<void>;
  state(): SupervisorState;
  close(): Promise<void>;
}

/** What is not stored when it leaves waits in its outbox, ms. */
const farewellMs = 500;

interface Supervising {
  readonly peer: WorkPeer;
  readonly supervisor: DlqSupervisor;
}

/** Creates it at rest. */
export function createAppSupervisor(deps: AppSupervisorDeps): AppSupervisor {
  const { workspace, place, isUnlocked, issueCredentials, openPeer, onChange, clock, randomness, logger } = deps;
  let own: OwnCredentials | undefined;
  /** Why it cannot hear of deaths at the moment. */
  let trouble: string | null = null;

  const hasKeys = (): boolean => own !== undefined || isUnlocked();

  function wanted(): SupervisedPlace | undefined {
    const there = place();
    return there !== undefined && there.kind !== 'remote' && hasKeys() ? there : undefined;
  }

  /** Why it does nothing. */
  function whyOff(): string {
    const there = place();
    if (there === undefined) return 'there is no engine that may be written to';
    if (there.kind === 'remote') return 'a remote server is supervised by whoever runs vak dlq-supervisor';
    return 'the key store was not opened yet';
  }

  /** New ones as long as there are any: grants end. */
  async function takeKeys(): Promise<OwnCredentials> {
    if (own !== undefined && !isUnlocked()) return own;
    const rights = { peer: supervisorPeerName, roles: ['dlq-supervisor'], queues: [] } as const;
    const given = takeCredentials(await issueCredentials(rights), { workspace, peer: supervisorPeerName });
    own?.dispose();
    own = given;
    return given;
  }

  function tell(next: string | null): void {
    if (next !== null) logger.warn('supervisor.trouble', { why: next });
    trouble = next;
    onChange();
  }

  async function supervise(peer: WorkPeer): Promise<Supervising> {
    const supervisor = await startSupervision({
      ...{ peer, clock, randomness, logger },
      onEvent: ({ kind, queue, seq }) => logger.info(`supervisor.${kind}`, { queue, seq }),
      onRefused: ({ kind, message: { stream, seq }, why }) =>
        logger.warn('supervisor.refused', { kind, stream, seq, why }),
      onTrouble: (_code, message) => tell(message),
      onBack: () => tell(null),
    });
    return { peer, supervisor };
  }

  const follower = createPlaceFollower<SupervisedPlace, Supervising>({
    wanted,
    async open(there) {
      const peer = await openPeer(await takeKeys(), there);
      try {
        return await supervise(peer);
      } catch (error) {
        await peer.close(0);
        throw error;
      }
    },
    async shut({ peer, supervisor }, { fabric }) {
      await supervisor.close();
      await peer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    },
    onChange() {
      trouble = null;
      onChange();
    },
    ...{ clock, logger, event: 'supervisor' },
  });

  return {
    follow: follower.follow,
    state() {
      const state = follower.state();
      if (state.kind === 'off') return { kind: 'off', why: whyOff() };
      const why = state.kind === 'failed' ? state.error.message : trouble;
      return { kind: why === null ? 'running' : 'failed', why };
    },
    async close() {
      await follower.close();
      own?.dispose();
    },
  };
}
