/**
 * Takes note of the cards that come to this profile (protocol.md I2).
 * Law: only a card whose signature is right is pinned, and never one of a peer whose keys are held here.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { AddedCard } from '../../shared/contract/access-contract.ts';
import type { Card } from '../../shared/protocol/identity-records.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Logger } from '../ports/logger.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type VerifiedCard, verifyCard } from './cards.ts';
import type { KeyStore } from './key-store.ts';
import { createRecordChecks } from './signed-record.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

export interface CardSightingsDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'onChange'>;
  readonly records: Pick<WorkspaceRecords, 'workspace' | 'directory' | 'pins'>;
  readonly logger: Logger;
}

export interface CardSightings extends Disposable {
  /** Takes note of one that was verified; the key store is open. */
  see(card: VerifiedCard): Promise<AddedCard['sight']>;
  /** Resolves when what has come so far is noted. */
  settled(): Promise<void>;
}

/** Beyond the peers of a large workspace. */
const rememberedCards = 8192;

/** Creates it; it looks at the directory whenever that changes while the key store is open. */
export function createCardSightings({ keyStore, records, logger }: CardSightingsDeps): CardSightings {
  const { workspace: ws, directory, pins } = records;
  const checks = createRecordChecks();
  const lane = createSerialLane();
  /** Signatures of cards that were looked at: what was refused or is a replay stays that. */
  const judged = createBoundedCache<true>(rememberedCards);
  let isDisposed = false;
  let isAsked = false;

  const isOpen = (): boolean => !isDisposed && keyStore.state().kind === 'unlocked';
  const isOwn = (peer: string): boolean => keyStore.read().identities.some((one) => one.peer === peer);

  function isNoted({ peer, signature }: Card): boolean {
    const pin = pins.find({ ws, peer });
    return pin !== undefined && [pin.card.signature, pin.offered?.card.signature].includes(signature);
  }

  async function lookAt(record: Card): Promise<void> {
    if (isOwn(record.peer) || isNoted(record) || judged.get(record.signature) !== undefined) return;
    judged.set(record.signature, true);
    try {
      await pins.see(verifyCard(record, checks));
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('identity.card-not-pinned', { code: error.code, message: error.message });
    }
  }

  async function look(): Promise<void> {
    isAsked = false;
    for (const { record } of isOpen() ? directory.cards() : []) if (isOpen()) await lookAt(record);
  }

  function begin(): void {
    // One look that has not begun yet sees whatever has changed until then.
    if (isAsked) return;
    isAsked = true;
    void lane.run(look).catch((error: unknown) => logger.bug('identity.sightings', error));
  }

  const listening = [keyStore.onChange(begin), directory.onChange(begin)];
  begin();

  return {
    see: (card) => lane.run(async () => (isOwn(card.peer) ? 'own' : await pins.see(card))),
    settled: () => lane.idle(),
    dispose() {
      isDisposed = true;
      for (const one of listening) one.dispose();
    },
  };
}
