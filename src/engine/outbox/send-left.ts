/**
 * Sends what processes that have ended left in their outboxes (protocol.md B8).
 * Law: only journals that no process has open are touched, and what cannot be sent in time stays where it is.
 */
import { type DurablePeerDeps, openDurablePeer } from './durable-peer.ts';
import { listOutboxSlots, type OutboxFolder, openOutboxSlot } from './outbox-folder.ts';

/** What became of it. */
export interface LeftMessages {
  readonly sentCount: number;
  readonly refusedCount: number;
  /** Those that still wait, void records that are owed among them. */
  readonly waitingCount: number;
}

export interface SendLeftOptions {
  /** How long each journal is waited for, ms. */
  readonly limitMs: number;
  /** A journal that is the caller's own. */
  readonly except?: number;
}

/** Sends one journal's. */
async function sendSlot(deps: DurablePeerDeps, limitMs: number): Promise<LeftMessages> {
  const peer = await openDurablePeer(deps);
  let [sentCount, refusedCount] = [0, 0];
  peer.onDelivered(() => sentCount++);
  peer.onRefused(() => refusedCount++);
  const hasAny = peer.waiting().count + peer.waiting().voidOwedCount > 0;
  if (hasAny) await peer.drain(limitMs);
  const { count, voidOwedCount } = peer.waiting();
  await peer.close(0);
  return { sentCount, refusedCount, waitingCount: count + voidOwedCount };
}

/** Sends the journals of a folder, one after the other, as its peer. Throws what opening a journal throws. */
export async function sendLeft(
  folder: OutboxFolder,
  deps: Omit<DurablePeerDeps, 'journal' | 'workspace' | 'peer'>,
  { limitMs, except }: SendLeftOptions,
): Promise<LeftMessages> {
  const { workspace, peer } = folder;
  const all = { sentCount: 0, refusedCount: 0, waitingCount: 0 };
  for (const slot of await listOutboxSlots(folder)) {
    if (slot === except) continue;
    const journal = await openOutboxSlot(folder, slot, deps);
    if (journal === undefined) continue;
    const { sentCount, refusedCount, waitingCount } = await sendSlot({ ...deps, workspace, peer, journal }, limitMs);
    all.sentCount += sentCount;
    all.refusedCount += refusedCount;
    all.waitingCount += waitingCount;
  }
  return all;
}
