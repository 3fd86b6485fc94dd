/**
 * The directory over the bus: cards and grants of a workspace go out to its buckets, and what lies there comes into the profile (protocol.md I1, I2, I4).
 * Law: the profile's file is what counts here, with or without a connection; nothing comes into it unverified, and nothing that vanishes
 * from a bucket vanishes from it.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { explainStorage } from '../../shared/protocol/storage-access.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import type { PeerFabric } from '../bus/fabric.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createDeferred, settlesWithin } from '../wait.ts';
import { type BucketReading, createBucketReading } from './bucket-reading.ts';
import {
  cardBucketOf,
  createCardReader,
  createGrantReader,
  entryBytes,
  grantBucketOf,
  type ReadEntry,
} from './bus-entry.ts';
import { createCardIntake } from './card-intake.ts';
import type { VerifiedCard } from './cards.ts';
import { createGrantIntake } from './grant-intake.ts';
import { createTimelineReader, grantAt } from './grant-timeline.ts';
import type { VerifiedGrant } from './grants.ts';
import {
  createRecordPublisher,
  type OwnGrants,
  type OwnWord,
  type Published,
  type RecordPublisher,
} from './record-publisher.ts';
import { createRefusalTeller, type DirectoryRefusal } from './refusal-teller.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

/** As whom a profile is connected. */
export interface DirectorySelf {
  /** The peer that the connection is; its card is the only one that is put. */
  readonly peer: string;
  /** `U…` of the workspace's root. */
  readonly rootPublic: string;
  /** Whether the connection may act as the root, which this profile holds. */
  holdsRoot(): boolean;
  /** `U…` of a peer whose keys are in this profile; undefined: it is another's. */
  ownSign(peer: string): string | undefined;
}

export interface BusDirectoryDeps {
  readonly records: Pick<WorkspaceRecords, 'workspace' | 'directory' | 'floor' | 'pins' | 'checks'>;
  /** The engine that it follows. */
  readonly fabric: Pick<PeerFabric, 'durable' | 'status' | 'onStatus'>;
  readonly self: DirectorySelf;
  /** Nothing is published: the context is read-only. */
  readonly isReadOnly: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of what lies there and does not count, once each, and boundedly. */
  readonly onRefused?: (refusal: DirectoryRefusal) => void;
}

export interface BusDirectory {
  /** Whether within that time all that lay in the buckets was taken. */
  ready(limitMs: number): Promise<boolean>;
  /** What this profile has to say is in the buckets, or is not after that time. */
  published(limitMs: number): Promise<Published>;
  /** Whether the bucket lacks a grant that this profile knows; the connection may not be the one that puts it there. */
  lacksGrants(): boolean;
  /** Follows no more; what was taken is on disk then. */
  close(): Promise<void>;
}

type Holder = { readonly roles: readonly Role[]; readonly queues: readonly string[] };

/** What this profile has to say, by what the peer is granted now. */
function createOwnRecords({ records, self, isReadOnly, clock }: BusDirectoryDeps) {
  const { workspace, directory, checks } = records;
  const { peer, rootPublic } = self;
  const read = createTimelineReader({ ws: workspace, rootPublic, checks });
  const timelineOf = (one: string) => read(directory.grants(one), one);
  const nothing: OwnWord = { card: undefined, isGrantedKey: false, grantedPeers: [] };

  function mayWrite({ roles, queues }: Holder, bucket: string): boolean {
    const holder = { workspace, peer, roles, queues: new Set(queues), holdsRoot: self.holdsRoot() };
    return explainStorage(holder, 'write', `values.${bucket}.${peer}`).allowed;
  }

  function own(): OwnWord {
    if (isReadOnly) return nothing;
    const held = grantAt(timelineOf(peer), clock.now())?.grant;
    const holder = held ?? { roles: [], queues: [] };
    const sign = self.ownSign(peer);
    const card = directory.card(peer)?.record;
    const isOwn = card !== undefined && card.sign === sign;
    return {
      card: isOwn && mayWrite(holder, cardBucketOf(workspace)) ? card : undefined,
      isGrantedKey: held !== undefined && held.sign === sign && held.roles.length > 0,
      grantedPeers: mayWrite(holder, grantBucketOf(workspace)) ? directory.grantedPeers() : [],
    };
  }

  const ownGrants: OwnGrants = {
    peers: directory.grantedPeers,
    last: (one) => directory.grants(one).at(-1)?.record,
    newest: (one) => timelineOf(one).grants.at(-1)?.grant,
  };
  return { own, ownGrants };
}

/** Reads cards; one that is pinned and lies in the profile byte for byte was verified when it was taken, and a key is dear to check. */
function createKnownCardReader({
  workspace: ws,
  directory,
  pins,
  checks,
}: BusDirectoryDeps['records']): ReadEntry<VerifiedCard> {
  const read = createCardReader(ws, checks);
  return (entry) => {
    const { key, value } = entry;
    const here = directory.card(key)?.record;
    const isKnown =
      here !== undefined &&
      pins.find({ ws, peer: key })?.card.signature === here.signature &&
      Buffer.compare(value, entryBytes(here)) === 0;
    return isKnown ? { kind: 'record', record: here as VerifiedCard } : read(entry);
  };
}

/** Those who wait until something is so, as far as that shows when they are told to look. */
function createWaiting(clock: Clock) {
  const waiting = new Set<() => void>();
  return {
    look(): void {
      for (const one of [...waiting]) one();
    },
    async until(isSo: () => boolean, limitMs: number): Promise<void> {
      if (isSo()) return;
      const { promise, resolve } = createDeferred<void>();
      const look = (): void => {
        if (isSo()) resolve();
      };
      waiting.add(look);
      try {
        await settlesWithin(clock, limitMs, promise);
      } finally {
        waiting.delete(look);
      }
    },
  };
}

/** Follows both buckets, and takes what counts. */
function createReadings(deps: BusDirectoryDeps, onChange: () => void) {
  const { records, fabric, self, clock, logger, onRefused = () => {} } = deps;
  const { workspace, directory, floor, pins, checks } = records;
  const { durable } = fabric;
  const held = createDisposer();
  const tell = createRefusalTeller({ logger, onRefused });
  const ofCard = (key: string, why: string): void => tell('card', key, why);
  const ofGrant = (key: string, why: string): void => tell('grant', key, why);
  const readGrant = createGrantReader(workspace, { rootPublic: self.rootPublic, checks });
  const common = { durable, probe: self.peer, onChange, clock, logger };

  const bucket = durable.keyValue(grantBucketOf(workspace));
  const intake = held.add(
    createGrantIntake({ bucket, read: readGrant, directory, floor, clock, logger, onRefused: ofGrant }),
  );
  const takeCards = createCardIntake({
    ...{ workspace, directory, pins, floor, logger },
    ...{ ownSign: self.ownSign, onRefused: ofCard },
  });
  const cards: BucketReading<VerifiedCard> = held.add(
    createBucketReading({
      ...{ ...common, bucket: cardBucketOf(workspace), read: createKnownCardReader(records) },
      ...{ take: takeCards, onRefused: ofCard },
    }),
  );
  const grants: BucketReading<VerifiedGrant> = held.add(
    createBucketReading({
      ...{ ...common, bucket: grantBucketOf(workspace), read: readGrant, take: intake.take },
      onRefused(key, why) {
        ofGrant(key, why);
        if (isToken(key)) intake.lookBehind(key);
      },
    }),
  );
  return {
    ...{ cards, grants },
    async close() {
      held.dispose();
      await Promise.all([cards.idle(), grants.idle(), intake.idle()]);
    },
  };
}

/** Creates it; it follows the buckets from now on. */
export function createBusDirectory(deps: BusDirectoryDeps): BusDirectory {
  const { records, fabric, clock, logger } = deps;
  const { workspace, directory, floor } = records;
  const held = createDisposer();
  const { look, until } = createWaiting(clock);
  let publisher: RecordPublisher | undefined;

  const readings = createReadings(deps, () => {
    publisher?.look();
    look();
  });
  const { cards, grants } = readings;
  const publishing: RecordPublisher = held.add(
    createRecordPublisher({
      ...{ workspace, durable: fabric.durable, cards, grants, clock, logger },
      ...{ ...createOwnRecords(deps), onChange: look },
    }),
  );
  publisher = publishing;
  held.add(directory.onChange(publishing.look));
  held.add(
    fabric.onStatus(({ kind }) => {
      if (kind === 'connected') publishing.reconnected();
    }),
  );
  publishing.look();

  const isReady = (): boolean => cards.isReady() && grants.isReady();
  const isStuck = (): boolean => (cards.problem() ?? grants.problem()) !== undefined;

  return {
    async ready(limitMs) {
      await until(() => isReady() || isStuck(), limitMs);
      return isReady();
    },
    async published(limitMs) {
      await until(() => isStuck() || publishing.state().kind !== 'waiting', limitMs);
      return publishing.state();
    },
    lacksGrants: publishing.lacksGrants,
    async close() {
      held.dispose();
      await readings.close();
      await floor.settled();
    },
  };
}
