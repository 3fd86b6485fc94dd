/**
 * A dead-letter supervisor with all that it needs, over its peer on an engine (protocol.md W3).
 * Law: one way to set it up, whoever runs it.
 */
import { createDeadLetterOffice } from './dead-letter-office.ts';
import { type DlqSupervisor, type DlqSupervisorDeps, startDlqSupervisor } from './dlq-supervisor.ts';
import { createTaskBook } from './task-book.ts';
import { createWorkFollower, type RefusedRecord } from './work-follower.ts';
import type { WorkPeer, WorkPorts } from './work-peer.ts';

/** Tasks that are remembered. */
const bookCapacity = 50_000;
/** Receipts and dead letters that were stored longer ago are of no task that still stands. */
const lookBackMs = 7 * 24 * 3_600_000;

export interface SupervisionDeps extends WorkPorts, Pick<DlqSupervisorDeps, 'onEvent' | 'onTrouble' | 'onBack'> {
  /** It stays the caller's. */
  readonly peer: WorkPeer;
  readonly onRefused: (refused: RefusedRecord) => void;
}

/** Begins to supervise. Throws as {@link startDlqSupervisor}. */
export async function startSupervision(deps: SupervisionDeps): Promise<DlqSupervisor> {
  const { peer: own, onEvent, onTrouble, onRefused, clock, randomness, logger } = deps;
  const { workspace, peer, durable, publisher, judge, reader } = own;
  const book = createTaskBook({ capacity: bookCapacity, onChange: () => {} });
  const sinceMs = clock.now() - lookBackMs;
  const follower = createWorkFollower({ workspace, durable, judge, reader, book, clock, sinceMs, onRefused });
  const office = createDeadLetterOffice({ workspace, peer, publisher, judge, randomness, durable: () => durable });
  return await startDlqSupervisor({
    ...{ workspace, durable, reader, office, book, follower, clock, logger, onEvent, onTrouble },
    ...(deps.onBack === undefined ? {} : { onBack: deps.onBack }),
  });
}
