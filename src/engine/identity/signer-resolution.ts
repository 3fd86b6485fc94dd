/**
 * Whether a signature's key may sign what it signed (protocol.md I4).
 * Law: a key counts only as the granted key of the peer that is named, with a role that is asked, at the time that is asked; all
 * else is refused with its true cause.
 */
import type { Role } from '../../shared/protocol/roles.ts';
import type { Directory } from '../ports/directory.ts';
import { createTimelineReader, type GrantTimeline, grantAt, type TimedGrant } from './grant-timeline.ts';
import type { VerifiedGrant } from './grants.ts';
import type { SeenSerial, SerialFloor } from './serial-floor.ts';
import type { RecordChecks } from './signed-record.ts';

/** What is asked. */
export interface SignerQuestion {
  readonly ws: string;
  /** The peer that `source` and `agentid` name. */
  readonly peer: string;
  /** The key that signed, `U…`. */
  readonly signer: string;
  /** Roles any of which suffices; none suffices if there are none. */
  readonly roles: readonly Role[];
  /** For `worker`: the queue whose worker it must be. Other roles do not look at it. */
  readonly queue?: string;
  /** The stream's stored time, or of what came live the time of arrival; ms since the epoch. */
  readonly at: number;
}

/** The answer; `why` is a sentence for people. */
export type SignerVerdict =
  | { readonly kind: 'granted'; readonly grant: VerifiedGrant; readonly why: string }
  | {
      readonly kind: 'unknown' | 'wrong-peer' | 'wrong-role' | 'expired' | 'replayed';
      readonly why: string;
    };

export interface SignerResolution {
  resolveSigner(question: SignerQuestion): SignerVerdict;
}

/** What a resolution of one workspace needs. */
export interface SignerResolutionDeps {
  readonly ws: string;
  /** Root's public nkey, pinned. */
  readonly rootPublic: string;
  readonly directory: Pick<Directory, 'grants' | 'grantedPeers'>;
  readonly floor: Pick<SerialFloor, 'judge' | 'raise'>;
  readonly checks: RecordChecks;
}

function isExpired({ notAfter }: VerifiedGrant, atMs: number): boolean {
  return notAfter !== 0 && Math.floor(atMs / 1000) > notAfter;
}

function holdsRole(grant: VerifiedGrant, { roles, queue }: SignerQuestion): boolean {
  return roles.some((role) => {
    if (!grant.roles.includes(role)) return false;
    return role !== 'worker' || queue === undefined || grant.queues.includes(queue);
  });
}

/** What was asked for, in words. */
function wanted({ roles, queue }: SignerQuestion): string {
  const text = roles.length === 0 ? 'any role' : roles.join(' or ');
  return queue !== undefined && roles.includes('worker') ? `${text} (queue ${queue})` : text;
}

/** The verdict of one grant, taken as in force. */
function judgeGrant(grant: VerifiedGrant, question: SignerQuestion): SignerVerdict {
  const { peer, signer, at } = question;
  if (grant.sign !== signer) {
    return { kind: 'unknown', why: `The key is not the one that ${peer} was granted at that time.` };
  }
  if (isExpired(grant, at)) {
    const ended = new Date(grant.notAfter * 1000).toISOString();
    return { kind: 'expired', why: `The grant of ${peer} ended at ${ended}.` };
  }
  if (holdsRole(grant, question)) {
    return { kind: 'granted', grant, why: `${peer} was granted ${grant.roles.join(', ')} (serial ${grant.serial}).` };
  }
  const held = grant.roles.length === 0 ? 'no role (it was revoked)' : grant.roles.join(', ');
  return { kind: 'wrong-role', why: `This needs ${wanted(question)}; ${peer} held ${held} at that time.` };
}

const seenSerial = ({ grant: { ws, peer, serial }, digest }: TimedGrant): SeenSerial => {
  return { kind: 'grant', ws, peer, serial, digest };
};

/** Creates the resolution of one workspace. Grants are read from the directory at each question. */
export function createSignerResolution(deps: SignerResolutionDeps): SignerResolution {
  const { ws, directory, floor } = deps;
  const readTimeline = createTimelineReader(deps);
  const timelineOf = (peer: string): GrantTimeline => readTimeline(directory.grants(peer), peer);

  /** Another peer that had this key as its own at that time. */
  function ownerOf({ signer, peer, at }: SignerQuestion): string | undefined {
    return directory.grantedPeers().find((other) => {
      return other !== peer && grantAt(timelineOf(other), at)?.grant.sign === signer;
    });
  }

  /** Whether a newer grant than the newest that is here was seen before: then nobody knows what is in force. */
  function isRolledBack(newest: TimedGrant): boolean {
    const seen = seenSerial(newest);
    const verdict = floor.judge(seen);
    if (verdict === 'newer') floor.raise(seen);
    return verdict === 'replay';
  }

  function judge(question: SignerQuestion, timeline: GrantTimeline): SignerVerdict {
    const { peer, at } = question;
    const newest = timeline.grants.at(-1);
    const wasReplaced = newest !== undefined && isRolledBack(newest);
    const inForce = grantAt(timeline, at);
    if (inForce === undefined) {
      const when = newest === undefined ? 'has no grant in this workspace' : 'had no grant yet at that time';
      return { kind: 'unknown', why: `${peer} ${when}.` };
    }
    if (wasReplaced && inForce === newest) {
      return { kind: 'replayed', why: `A newer grant of ${peer} was seen before and is missing now.` };
    }
    return judgeGrant(inForce.grant, question);
  }

  /** Whether an old grant, put back after a newer one, would have let it pass. */
  function wouldPassByReplay(question: SignerQuestion, { replays }: GrantTimeline): boolean {
    return replays.some((one) => one.fromMs <= question.at && judgeGrant(one.grant, question).kind === 'granted');
  }

  return {
    resolveSigner(question) {
      if (question.ws !== ws) return { kind: 'unknown', why: `Workspace ${question.ws} is not known here.` };
      const timeline = timelineOf(question.peer);
      const verdict = judge(question, timeline);
      if (verdict.kind === 'granted' || verdict.kind === 'replayed') return verdict;
      if (wouldPassByReplay(question, timeline)) {
        return { kind: 'replayed', why: `An old grant of ${question.peer} was put back after a newer one.` };
      }
      const owner = verdict.kind === 'unknown' ? ownerOf(question) : undefined;
      return owner === undefined
        ? verdict
        : { kind: 'wrong-peer', why: `The key is that of ${owner}, not of ${question.peer}.` };
    },
  };
}
