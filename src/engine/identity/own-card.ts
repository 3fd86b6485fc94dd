/**
 * A peer puts its own card into the workspace's bucket, through its own connection (protocol.md I1, A10).
 * Law: nothing newer is replaced, and what it may not or cannot put keeps it from nothing else.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Card } from '../../shared/protocol/identity-records.ts';
import type { PeerFabric } from '../bus/fabric.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { cardBucketOf, createCardReader, entryBytes } from './bus-entry.ts';
import { lacksCard } from './record-publisher.ts';
import { createRecordChecks } from './signed-record.ts';

export interface OwnCardDeps {
  /** Of the key that it is granted. */
  readonly card: Card;
  /** As the peer may use it. */
  readonly fabric: Pick<PeerFabric, 'durable' | 'onStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const againMs = 30_000;

/** Puts it now, and looks again after each outage; what fails is tried again until disposed. */
export function keepOwnCard({ card, fabric, clock, logger }: OwnCardDeps): Disposable {
  const held = createDisposer();
  const read = createCardReader(card.ws, createRecordChecks());
  let timer: Disposable | undefined;
  let isBusy = false;
  held.defer(() => timer?.dispose());

  async function put(): Promise<void> {
    const bucket = fabric.durable.keyValue(cardBucketOf(card.ws));
    const entry = await bucket.get(card.peer);
    const reading = entry && read(entry);
    const there = reading?.kind === 'record' ? { record: reading.record } : undefined;
    if (!lacksCard(there, { card, isGrantedKey: true })) return;
    await bucket.put(card.peer, entryBytes(card), { revision: entry?.revision ?? 0 });
  }

  function failed(error: unknown): void {
    if (!isVakError(error)) {
      logger.bug('directory.own-card', error);
      return;
    }
    logger.info('directory.own-card', { peer: card.peer, code: error.code });
    // Without the right it comes to nothing as long as the connection is the same.
    if (error.code === 'forbidden' || error.code === 'unauthorized' || error.code === 'closed') return;
    if (!held.isDisposed) timer = clock.setTimer(againMs, run);
  }

  function run(): void {
    timer?.dispose();
    if (isBusy || held.isDisposed) return;
    isBusy = true;
    void put()
      .catch(failed)
      .finally(() => {
        isBusy = false;
      });
  }

  held.add(
    fabric.onStatus(({ kind }) => {
      if (kind === 'connected') run();
    }),
  );
  run();
  return held;
}
