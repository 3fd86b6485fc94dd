/**
 * What can be wrong in the work plane, as incidents and notifications are told apart (product.md "Operations Center").
 * Law: one closed list for settings, contract and pages.
 */

/**
 * `dead-letters`: tasks of a queue that failed for good, by error class. `lost`: gone without a receipt or dead letter (W7).
 * `lag`, `age`: over the limit that the settings give. `no-consumer`, `stuck`: tasks wait, and nobody claims them, or nothing moves.
 * `refused-record`: a receipt, dead letter, purge or pause flag that does not count. `refused-approval`: a verdict or request that does not count.
 * `denied`: a peer did what it has no right to (A4). `supervisor`: the app's own dead-letter supervisor has failed.
 */
export const incidentKinds = [
  'lost',
  'refused-record',
  'refused-approval',
  'denied',
  'supervisor',
  'dead-letters',
  'stuck',
  'no-consumer',
  'age',
  'lag',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** What a desktop notification can be about: an incident, or an approval that waits. */
export const noticeKinds = ['approval', ...incidentKinds] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Whether a text names one. */
export function isNoticeKind(text: string): text is NoticeKind {
  return (noticeKinds as readonly string[]).includes(text);
}
