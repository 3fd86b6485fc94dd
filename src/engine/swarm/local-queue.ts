/** The queue of the local swarm. Law: its workers, its coordinator and who shows it agree on these. */

/** Its name. */
export const localQueue = 'local';
/** A task that asks for approval waits so long for its answer, ms. */
export const localApprovalMs = 5 * 60_000;
