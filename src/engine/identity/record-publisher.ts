/**
 * Puts into the workspace's buckets what they lack of this profile's records: its peer's card, and the grants of the root that it holds (protocol.md I1, I4, A10).
 * Law: each put expects the revision that was seen, nothing goes over something newer, and what others write over it is put right ever
 * more seldom.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { Card, Grant } from '../../shared/protocol/identity-records.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { BucketReading, HeldEntry } from './bucket-reading.ts';
import { cardBucketOf, entryBytes, grantBucketOf } from './bus-entry.ts';
import type { VerifiedCard } from './cards.ts';
import type { VerifiedGrant } from './grants.ts';

/** What this profile has to say. */
export interface OwnWord {
  /** The card of the peer that is connected, if it may put it there: it holds a role. */
  readonly card: Card | undefined;
  /** Whether the root names the key of that card: another one under its name is then put right. */
  readonly isGrantedKey: boolean;
  /** Peers that were granted something, where the root is held. */
  readonly grantedPeers: readonly string[];
}

/** Grants of the profile: the last one of a peer as it is, and the newest that counts. */
export interface OwnGrants {
  peers(): readonly string[];
  last(peer: string): Grant | undefined;
  newest(peer: string): Grant | undefined;
}

/** How far that is. `waiting`: it is tried again. `refused`: the server does not let this peer, until it connects anew. */
export type Published =
  | { readonly kind: 'all' }
  | { readonly kind: 'waiting'; readonly error: VakError | undefined }
  | { readonly kind: 'refused'; readonly error: VakError };

export interface RecordPublisherDeps {
  readonly workspace: string;
  readonly durable: Pick<DurablePlane, 'keyValue'>;
  readonly cards: BucketReading<VerifiedCard>;
  readonly grants: BucketReading<VerifiedGrant>;
  readonly own: () => OwnWord;
  readonly ownGrants: OwnGrants;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told when `state` may be another one. */
  readonly onChange: () => void;
}

export interface RecordPublisher extends Disposable {
  state(): Published;
  /** Whether the bucket lacks a grant of this profile, whoever may put it there; false while nobody knows. */
  lacksGrants(): boolean;
  /** Something may be lacking: looks, in its own time. */
  look(): void;
  /** The connection is back: what was refused before is tried again. */
  reconnected(): void;
}

/** A record that its bucket lacks, as far as its serial tells. */
interface Lacking {
  readonly bucket: string;
  readonly record: Card | Grant;
  /** Of what lies there; 0: nothing. */
  readonly revision: number;
  /** What is put: only then it is looked whether it counts, as that is dear. Undefined: nothing. */
  verified(): Card | Grant | undefined;
  /** It lies there now. */
  note(entry: { readonly revision: number; readonly record: Card | Grant }): void;
}

interface Tries {
  readonly signature: string;
  readonly count: number;
  readonly againMs: number;
}

const firstAgainMs = 1_000;
const lastAgainMs = 300_000;

/** Whether a bucket in which that lies lacks the card. Of another key's card the root decides: whom it names is in the right. */
export function lacksCard(
  held: Pick<HeldEntry<Card>, 'record'> | undefined,
  { card, isGrantedKey }: Pick<OwnWord, 'card' | 'isGrantedKey'>,
): boolean {
  if (card === undefined || held?.record?.signature === card.signature) return false;
  const there = held?.record;
  if (there === undefined) return true;
  return there.sign === card.sign ? there.serial < card.serial : isGrantedKey;
}

function lacksGrant(held: HeldEntry<Grant> | undefined, grant: Grant): boolean {
  return held?.record === undefined || held.record.serial < grant.serial;
}

/** What both buckets lack. */
function createLacking({ workspace, cards, grants, own, ownGrants }: RecordPublisherDeps) {
  const [cardBucket, grantBucket] = [cardBucketOf(workspace), grantBucketOf(workspace)];
  /** Peers whose last grant here does not count: of a root that is another's. */
  const vain = new Map<string, string>();

  function lackingCard(word: OwnWord): readonly Lacking[] {
    const record = word.card;
    const held = record && cards.held(record.peer);
    if (record === undefined || !cards.isReady() || !lacksCard(held, word)) return [];
    const note: Lacking['note'] = (entry) => cards.note(record.peer, entry as HeldEntry<VerifiedCard>);
    return [{ bucket: cardBucket, record, revision: held?.revision ?? 0, verified: () => record, note }];
  }

  function lackingGrant(peer: string): readonly Lacking[] {
    const held = grants.held(peer);
    const record = ownGrants.last(peer);
    if (record === undefined || vain.get(peer) === record.signature || !lacksGrant(held, record)) return [];
    function verified(): Grant | undefined {
      const newest = ownGrants.newest(peer);
      if (newest !== undefined && lacksGrant(held, newest)) return newest;
      vain.set(peer, record?.signature ?? '');
      return undefined;
    }
    const note: Lacking['note'] = (entry) => grants.note(peer, entry as HeldEntry<VerifiedGrant>);
    return [{ bucket: grantBucket, record, revision: held?.revision ?? 0, verified, note }];
  }

  const lackingGrants = (peers: readonly string[]): readonly Lacking[] =>
    grants.isReady() ? peers.flatMap(lackingGrant) : [];

  function lacking(): readonly Lacking[] {
    const word = own();
    return [...lackingCard(word), ...lackingGrants(word.grantedPeers)];
  }

  return { lacking, lackingGrants };
}

/** When each record may be put: at once, and after that ever more seldom. */
function createTries(clock: Clock) {
  /** By bucket and key. */
  const tries = new Map<string, Tries>();
  const keyOf = ({ bucket, record }: Lacking): string => `${bucket}.${record.peer}`;

  /** Ms until it may be put; 0: now. */
  function waitOf(one: Lacking): number {
    const before = tries.get(keyOf(one));
    return before?.signature === one.record.signature ? Math.max(0, before.againMs - clock.monotonic()) : 0;
  }

  function noteTry(one: Lacking): void {
    const { signature } = one.record;
    const before = tries.get(keyOf(one));
    const count = before?.signature === signature ? before.count + 1 : 0;
    const againMs = clock.monotonic() + Math.min(lastAgainMs, firstAgainMs * 2 ** Math.min(count, 16));
    tries.set(keyOf(one), { signature, count, againMs });
  }

  return { waitOf, noteTry, clear: () => tries.clear() };
}

/** Creates it; it begins when both buckets are known. */
export function createRecordPublisher(deps: RecordPublisherDeps): RecordPublisher {
  const { durable, cards, grants, ownGrants, clock, logger, onChange } = deps;
  const disposer = createDisposer();
  const { lacking, lackingGrants } = createLacking(deps);
  const { waitOf, noteTry, clear } = createTries(clock);
  /** Buckets into which this peer may put nothing, and why. */
  const refused = new Map<string, VakError>();
  let timer: Disposable | undefined;
  let failedCount = 0;
  let problem: VakError | undefined;
  let isBusy = false;
  let isAsked = false;

  disposer.defer(() => timer?.dispose());

  /** Whether to go on with the next one. */
  async function put(one: Lacking): Promise<boolean> {
    const { bucket, revision } = one;
    const record = one.verified();
    if (record === undefined) return true;
    noteTry(one);
    try {
      const stored = await durable.keyValue(bucket).put(record.peer, entryBytes(record), { revision });
      one.note({ revision: stored, record });
      failedCount = 0;
      problem = undefined;
      return true;
    } catch (error) {
      if (!isVakError(error)) throw error;
      return failed(error, bucket);
    }
  }

  function failed(error: VakError, bucket: string): boolean {
    // Somebody else was first: what lies there now is told, or looked at again.
    if (error.code === 'conflict') return true;
    if (error.code === 'forbidden' || error.code === 'unauthorized' || error.code === 'read-only') {
      logger.warn('directory.not-published', { bucket, code: error.code, message: error.message });
      refused.set(bucket, error);
      return true;
    }
    failedCount++;
    problem = error;
    return false;
  }

  const isDue = (one: Lacking): boolean => !refused.has(one.bucket) && waitOf(one) === 0;

  async function putLacking(): Promise<void> {
    for (const one of lacking()) {
      if (disposer.isDisposed) return;
      if (isDue(one) && !(await put(one))) return;
    }
  }

  async function work(): Promise<void> {
    while (isAsked && !disposer.isDisposed) {
      isAsked = false;
      await putLacking();
    }
  }

  /** When there is something to do again by itself. */
  function setTimer(): void {
    timer?.dispose();
    timer = undefined;
    if (disposer.isDisposed) return;
    const waits = lacking()
      .filter(({ bucket }) => !refused.has(bucket))
      .map(waitOf);
    if (waits.length === 0) return;
    const failureMs = failedCount === 0 ? 0 : Math.min(30_000, firstAgainMs * 2 ** Math.min(failedCount, 16));
    timer = clock.setTimer(Math.max(firstAgainMs, failureMs, Math.min(...waits)), look);
  }

  function look(): void {
    isAsked = true;
    if (isBusy || disposer.isDisposed) return;
    isBusy = true;
    void work()
      .catch((thrown: unknown) => logger.bug('directory.publish', thrown))
      .finally(() => {
        isBusy = false;
        setTimer();
        onChange();
        // Asked for in between.
        if (isAsked) look();
      });
  }

  return {
    look,
    lacksGrants: () => lackingGrants(ownGrants.peers()).some((one) => one.verified() !== undefined),
    reconnected() {
      refused.clear();
      failedCount = 0;
      clear();
      look();
    },
    state() {
      const left = lacking();
      const [denied] = left.flatMap(({ bucket }) => refused.get(bucket) ?? []);
      if (denied !== undefined) return { kind: 'refused', error: denied };
      const isKnown = cards.isReady() && grants.isReady();
      if (!isKnown || left.length > 0)
        return { kind: 'waiting', error: problem ?? grants.problem() ?? cards.problem() };
      return { kind: 'all' };
    },
    dispose: () => disposer.dispose(),
  };
}
