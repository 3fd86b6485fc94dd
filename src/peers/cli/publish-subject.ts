/** What a subject says of the envelope that may go there (protocol.md §1, A4). */
import type { SubjectParts } from '../../shared/protocol/subject.ts';

/** Stands in a subject for the session of the publisher, which nobody knows before. */
export const ownSession = 'self';
const sessionPlanes: ReadonlySet<string> = new Set(['events', 'receipts', 'approvals']);
/** Planes whose subjects carry one type each: receivers refuse another. */
export const typedPlanes: ReadonlySet<string> = new Set(['events', 'work', 'receipts', 'approvals', 'dlq', 'audit']);

/** Whether the subject names the session that publishes. */
export const needsOwnSession = ({ plane, verb }: SubjectParts): boolean =>
  sessionPlanes.has(plane) && verb !== 'verdict';
