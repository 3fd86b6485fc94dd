/**
 * What of some journals of an outbox still waits (protocol.md B8).
 * Law: a journal that another process has open is told as such, never as empty: what lies in it is not known.
 */
import { type DurablePeer, type DurablePeerDeps, openDurablePeer } from './durable-peer.ts';
import { type OutboxFolder, openOutboxSlot } from './outbox-folder.ts';

export interface KeptMessages {
  /** Ids by which their streams know them. */
  readonly messageIds: ReadonlySet<string>;
  /** Another process, or something else of this one, has one of the journals open. */
  readonly isElsewhere: boolean;
}

export interface KeptMessagesAsked {
  readonly folder: OutboxFolder;
  /** Numbers of the journals. */
  readonly slots: readonly number[];
  /** The journal that is the caller's own. */
  readonly own: { readonly slot: number; readonly peer: Pick<DurablePeer, 'messageIds'> };
  readonly deps: Omit<DurablePeerDeps, 'journal' | 'workspace' | 'peer'>;
}

/** How long what is found in a journal that nobody has is sent, ms; what is not stored by then waits on. */
const sendMs = 2_000;

/** Looks into journals; what lies in one that no process has open is sent on the way. Throws what opening one throws. */
export async function findKept({ folder, slots, own, deps }: KeptMessagesAsked): Promise<KeptMessages> {
  const { workspace, peer: name } = folder;
  const messageIds = new Set(own.peer.messageIds());
  let isElsewhere = false;

  async function look(slot: number): Promise<void> {
    const journal = await openOutboxSlot(folder, slot, deps);
    if (journal === undefined) {
      isElsewhere = true;
      return;
    }
    const peer = await openDurablePeer({ ...deps, workspace, peer: name, journal });
    try {
      if (peer.messageIds().length > 0) await peer.drain(sendMs);
      for (const id of peer.messageIds()) messageIds.add(id);
    } finally {
      await peer.close(0);
    }
  }

  for (const slot of new Set(slots)) if (slot !== own.slot) await look(slot);
  return { messageIds, isElsewhere };
}
