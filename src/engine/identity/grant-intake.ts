/**
 * Grants of the workspace's bucket, as this profile takes them (protocol.md I4).
 * Law: a serial below one that was seen is refused, whatever lies in the bucket; superseded grants are read behind the newest, with the
 * times at which the bucket stored them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { KeyValueBucket } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, Stored } from '../ports/directory.ts';
import type { Logger } from '../ports/logger.ts';
import type { ArrivedRecord } from './bucket-reading.ts';
import { entryBytes, type ReadEntry } from './bus-entry.ts';
import { createDueKeys, type DueKeys } from './due-keys.ts';
import { digestGrant, type VerifiedGrant } from './grants.ts';
import type { SeenSerial, SerialFloor } from './serial-floor.ts';

export interface GrantIntakeDeps {
  readonly bucket: Pick<KeyValueBucket, 'history'>;
  readonly read: ReadEntry<VerifiedGrant>;
  readonly directory: Pick<Directory, 'grants' | 'takeGrants'>;
  readonly floor: Pick<SerialFloor, 'judge' | 'raise'>;
  readonly onRefused: (key: string, why: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface GrantIntake extends Pick<DueKeys, 'dispose' | 'idle'> {
  /** Takes a batch of newest ones; never rejects. */
  take(batch: readonly ArrivedRecord<VerifiedGrant>[]): Promise<void>;
  /** What lies under a key does not count: what is kept behind it may. */
  lookBehind(key: string): void;
}

type ArrivedGrant = ArrivedRecord<VerifiedGrant>;

/** However often something is written under a key, what is kept behind it is read no more often, ms. */
const lookEveryMs = 5_000;

/** Verdicts on grants of the profile that are remembered. */
const rememberedGrants = 8_192;

const seenSerial = ({ record }: Pick<ArrivedGrant, 'record'>): SeenSerial => {
  const { ws, peer, serial } = record;
  return { kind: 'grant', ws, peer, serial, digest: digestGrant(record) };
};

/** Those of a key's values, oldest first, whose serials rise. */
function rising(grants: readonly ArrivedGrant[]): readonly ArrivedGrant[] {
  const kept: ArrivedGrant[] = [];
  for (const one of grants) if (one.record.serial > (kept.at(-1)?.record.serial ?? 0)) kept.push(one);
  return kept;
}

/** Creates it. */
export function createGrantIntake(deps: GrantIntakeDeps): GrantIntake {
  const { bucket, read, directory, floor, onRefused, clock, logger } = deps;

  const verdicts = createBoundedCache<boolean>(rememberedGrants);

  const stored = ({ record: { peer, signature } }: ArrivedGrant): Stored<Grant> | undefined =>
    directory.grants(peer).find((one) => one.record.signature === signature);

  /** Whether it says something that is not known here: itself, or an earlier time of it. */
  function isNews(one: ArrivedGrant): boolean {
    const here = stored(one);
    return here === undefined || here.storedMs > one.storedMs;
  }

  /** Whether a grant of the profile counts: those of a workspace of that name that was begun anew do not. */
  function isUnderRoot(record: Grant): boolean {
    const digest = digestGrant(record);
    const verdict = verdicts.get(digest) ?? read({ key: record.peer, value: entryBytes(record) }).kind === 'record';
    verdicts.set(digest, verdict);
    return verdict;
  }

  const isReplay = (one: ArrivedGrant): boolean => floor.judge(seenSerial(one)) === 'replay';

  /** Whether one that superseded it is here: then it can only count for the time before that. */
  const isSuperseded = ({ record: { peer, serial } }: ArrivedGrant): boolean =>
    directory.grants(peer).some(({ record }) => record.serial > serial && isUnderRoot(record));

  /** Nothing was stored later than it came: a server's clock may be ahead of this one. */
  const toStored = ({ record, storedMs }: ArrivedGrant): Stored<VerifiedGrant> => {
    return { record, storedMs: Math.min(storedMs, clock.now()) };
  };

  async function keep(grants: readonly ArrivedGrant[]): Promise<void> {
    if (grants.length === 0) return;
    await directory.takeGrants(grants.map(toStored), isUnderRoot);
    for (const one of grants) floor.raise(seenSerial(one));
  }

  /** Stored before the newer one was known here: then the bucket has yet to hear of that, and nobody put anything back. */
  const isBehind = ({ record: { peer, serial }, storedMs }: ArrivedGrant): boolean =>
    directory.grants(peer).some((one) => one.record.serial > serial && one.storedMs >= storedMs);

  async function safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('directory.grants-not-taken', { code: error.code, message: error.message });
    }
  }

  /** Takes what is kept of a key: superseded ones, and one that lies behind something that does not count. */
  async function readBehind(key: string): Promise<void> {
    const values = await bucket.history(key);
    const grants = rising(
      values.flatMap((entry) => {
        const reading = read(entry);
        return reading.kind === 'record' ? [{ key, record: reading.record, storedMs: entry.storedMs }] : [];
      }),
    );
    // Of a serial that was seen and is not here nobody knows what it says: what is below does not take its place.
    const top = grants.findLastIndex((one) => !isReplay(one) || isSuperseded(one));
    await keep(grants.slice(0, top + 1));
  }

  const due = createDueKeys({
    ...{ clock, logger, everyMs: lookEveryMs },
    run: (key) => safely(() => readBehind(key)),
  });

  return {
    take: (batch) =>
      safely(async () => {
        const news = batch.filter(isNews);
        for (const one of batch) {
          if (isReplay(one) && !isBehind(one)) onRefused(one.key, 'grant: a newer one of this peer was seen before.');
        }
        await keep(news.filter((one) => !isReplay(one)));
        for (const { key } of news) due.add(key);
      }),
    lookBehind: due.add,
    idle: due.idle,
    dispose: due.dispose,
  };
}
