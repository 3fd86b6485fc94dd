/**
 * The app's own dead-letter supervisor, on the engines that are the app's (protocol.md W3).
 * Law: once it has its keys it works whether the key store is locked or not; where it does not work that is told, and why.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import type { ContextKind } from '../../shared/settings/settings-schema.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import type { DlqSupervisor } from '../work/dlq-supervisor.ts';
import { startSupervision } from '../work/supervision.ts';
import type { WorkPeer, WorkPorts } from '../work/work-peer.ts';

/** Its name in the workspace. */
const peer = 'supervisor';

/** `failed`: it should work, and does not; it is tried again. `why`: null while it works. */
export interface SupervisorState {
  readonly kind: 'off' | 'running' | 'failed';
  readonly why: string | null;
}

/** An engine, and whose it is. */
export interface SupervisedPlace extends WorkPlace {
  readonly kind: ContextKind;
}

export interface AppSupervisorDeps<P extends SupervisedPlace = SupervisedPlace> extends WorkPorts {
  readonly workspace: string;
  /** The engine that may be written to now; the same object as long as it is the same engine. */
  readonly place: () => P | undefined;
  /** Whether the key store may be read. */
  readonly isOpen: () => boolean;
  /** Names the workspace's keys that count now; undefined before they were seen. */
  readonly basis: () => string | undefined;
  readonly issueCredentials: IssueCredentials;
  /** Opens its peer there; `lost` is told if that is of no use any more. */
  readonly openPeer: (own: OwnCredentials, place: P, lost: (cause: VakError) => void) => Promise<WorkPeer>;
  readonly onChange: () => void;
}

export interface AppSupervisor {
  /** Call it when the engine or the keys may be others; resolves when it has moved there. */
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

/** Where, and with which keys: with others it begins anew. */
interface Post<P> {
  readonly there: P;
  readonly basis: string;
}

/** Creates it at rest. */
export function createAppSupervisor<P extends SupervisedPlace>(deps: AppSupervisorDeps<P>): AppSupervisor {
  const { workspace, place, isOpen, basis, issueCredentials, openPeer, onChange, clock, randomness, logger } = deps;
  let keys: { readonly own: OwnCredentials; readonly basis: string } | undefined;
  let post: Post<P> | undefined;
  /** Why it cannot hear of deaths at the moment. */
  let trouble: string | null = null;

  function wanted(): Post<P> | undefined {
    const [there, now] = [place(), basis()];
    if (there === undefined || there.kind === 'remote' || now === undefined) return undefined;
    if (keys?.basis !== now && !isOpen()) return undefined;
    if (post?.there !== there || post.basis !== now) post = { there, basis: now };
    return post;
  }

  /** Why it does nothing. */
  function whyOff(): string {
    const there = place();
    if (there === undefined) return 'there is no engine that may be written to';
    if (there.kind === 'remote') return 'a remote server is supervised by whoever runs vak dlq-supervisor';
    return 'it gets its keys when the key store is opened';
  }

  /** New ones as long as there are any: grants end. */
  async function takeKeys({ basis: now }: Post<P>): Promise<OwnCredentials> {
    if (keys !== undefined && !isOpen()) return keys.own;
    const given = await issueCredentials({ peer, roles: ['dlq-supervisor'], queues: [] });
    keys?.own.dispose();
    keys = { own: takeCredentials(given, { workspace, peer }), basis: now };
    // It has no inbox to open.
    keys.own.boxSecret.dispose();
    return keys.own;
  }

  function tell(next: string | null): void {
    if (next !== null) logger.warn('supervisor.trouble', { why: next });
    trouble = next;
    onChange();
  }

  async function supervise(opened: WorkPeer): Promise<Supervising> {
    const supervisor = await startSupervision({
      ...{ peer: opened, clock, randomness, logger },
      onEvent: ({ kind, queue, seq }) => logger.info(`supervisor.${kind}`, { queue, seq }),
      onRefused: ({ kind, message: { stream, seq }, why }) =>
        logger.warn('supervisor.refused', { kind, stream, seq, why }),
      onTrouble: (_code, message) => tell(message),
      onBack: () => tell(null),
    });
    return { peer: opened, supervisor };
  }

  const follower = createPlaceFollower<Post<P>, Supervising>({
    wanted,
    async open(at, lost) {
      const opened = await openPeer(await takeKeys(at), at.there, lost);
      try {
        return await supervise(opened);
      } catch (error) {
        await opened.close(0);
        throw error;
      }
    },
    async shut({ peer: opened, supervisor }, { there }) {
      await supervisor.close();
      await opened.close(there.fabric.status().kind === 'connected' ? farewellMs : 0);
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
      keys?.own.dispose();
    },
  };
}
