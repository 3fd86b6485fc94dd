/**
 * Sends what processes that have ended left in their outboxes (protocol.md B8).
 * Law: only journals that no process has open are touched, and what cannot be sent in time stays where it is.
 */
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { type DurablePeerDeps, openDurablePeer } from './durable-peer.ts';
import { type FormerOutcome, followFormer } from './former-messages.ts';
import { listOutboxSlots, type OutboxFolder, openOutboxSlot } from './outbox-folder.ts';

/** What became of it. */
export interface LeftMessages extends FormerOutcome {
  /** Why a journal could not be opened or changed: what waits in it, if anything does, is not sent. */
  readonly problems: readonly VakError[];
}

export interface SendLeftOptions {
  /** How long each journal is waited for, ms. */
  readonly limitMs: number;
  /** A journal that is the caller's own. */
  readonly except?: number;
}

/** Sends one journal's. */
async function sendSlot(deps: DurablePeerDeps, limitMs: number): Promise<FormerOutcome> {
  const peer = await openDurablePeer(deps);
  const outcome = await followFormer(peer).finish(limitMs);
  await peer.close(0);
  return outcome ?? { sentCount: 0, refusedCount: 0, waitingCount: 0 };
}

/** Sends the journals of a folder, one after the other, as its peer; one that is damaged holds up no other. */
export async function sendLeft(
  folder: OutboxFolder,
  deps: Omit<DurablePeerDeps, 'journal' | 'workspace' | 'peer'>,
  { limitMs, except }: SendLeftOptions,
): Promise<LeftMessages> {
  const { workspace, peer } = folder;
  const problems: VakError[] = [];
  const all = { sentCount: 0, refusedCount: 0, waitingCount: 0, problems };

  async function send(slot: number): Promise<void> {
    const journal = await openOutboxSlot(folder, slot, deps);
    if (journal === undefined) return;
    const { sentCount, refusedCount, waitingCount } = await sendSlot({ ...deps, workspace, peer, journal }, limitMs);
    all.sentCount += sentCount;
    all.refusedCount += refusedCount;
    all.waitingCount += waitingCount;
  }

  for (const slot of await listOutboxSlots(folder)) {
    if (slot === except) continue;
    try {
      await send(slot);
    } catch (error) {
      if (!isVakError(error)) throw error;
      problems.push(error);
    }
  }
  return all;
}
