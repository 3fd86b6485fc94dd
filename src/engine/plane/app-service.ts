/**
 * A service of the workspace that the app runs itself, on the engines that are its own: a peer of its own in this process (protocol.md I3).
 * Law: once it has its keys it works whether the key store is locked or not; where it does not work that is told, and why.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import type { ContextKind } from '../../shared/settings/settings-schema.ts';
import { type OwnCredentials, takeCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import type { WorkPeer, WorkPorts } from '../work/work-peer.ts';

/** `failed`: it should work, and does not; it is tried again. `why`: null while it works. */
export interface AppServiceState {
  readonly kind: 'off' | 'running' | 'failed';
  readonly why: string | null;
}

/** An engine, and whose it is. */
export interface ServicePlace extends WorkPlace {
  readonly kind: ContextKind;
}

/** What each service of the app takes. */
export interface AppServiceDeps<P extends ServicePlace = ServicePlace> extends WorkPorts {
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

/** What a service is. */
export interface ServiceKind {
  /** Its name in the workspace. */
  readonly peer: string;
  readonly role: Role;
  /** Its name in the log. */
  readonly event: string;
  /** Why it is off where the server is not the app's. */
  readonly onRemote: string;
  /** Begins, as that peer, which stays the caller's. `tell`: why it cannot work at the moment; null: it can again. */
  serve(peer: WorkPeer, tell: (trouble: string | null) => void): Promise<Serving>;
}

/** A service at work. */
export interface Serving {
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface AppService {
  /** Call it when the engine or the keys may be others; resolves when it has moved there. */
  follow(): Promise<void>;
  state(): AppServiceState;
  close(): Promise<void>;
}

/** What is not stored when it leaves waits in its outbox, ms. */
const farewellMs = 500;

interface Running {
  readonly peer: WorkPeer;
  readonly serving: Serving;
}

/** Where, and with which keys: with others it begins anew. */
interface Post<P> {
  readonly there: P;
  readonly basis: string;
}

/** Creates it at rest. */
export function createAppService<P extends ServicePlace>(kind: ServiceKind, deps: AppServiceDeps<P>): AppService {
  const { workspace, place, isOpen, basis, issueCredentials, openPeer, onChange, clock, logger } = deps;
  const { peer, role, event } = kind;
  let keys: { readonly own: OwnCredentials; readonly basis: string } | undefined;
  let post: Post<P> | undefined;
  /** Why it cannot work at the moment. */
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
    if (there.kind === 'remote') return kind.onRemote;
    return 'it gets its keys when the key store is opened';
  }

  /** New ones as long as there are any: grants end. */
  async function takeKeys({ basis: now }: Post<P>): Promise<OwnCredentials> {
    if (keys !== undefined && !isOpen()) return keys.own;
    const given = await issueCredentials({ peer, roles: [role], queues: [] });
    keys?.own.dispose();
    keys = { own: takeCredentials(given, { workspace, peer }), basis: now };
    // It has no inbox to open.
    keys.own.boxSecret.dispose();
    return keys.own;
  }

  function tell(next: string | null): void {
    if (next !== null) logger.warn(`${event}.trouble`, { why: next });
    trouble = next;
    onChange();
  }

  const follower = createPlaceFollower<Post<P>, Running>({
    wanted,
    async open(at, lost) {
      const opened = await openPeer(await takeKeys(at), at.there, lost);
      try {
        return { peer: opened, serving: await kind.serve(opened, tell) };
      } catch (error) {
        await opened.close(0);
        throw error;
      }
    },
    async shut({ peer: opened, serving }, { there }) {
      await serving.close();
      await opened.close(there.fabric.status().kind === 'connected' ? farewellMs : 0);
    },
    onChange() {
      trouble = null;
      onChange();
    },
    ...{ clock, logger, event },
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
