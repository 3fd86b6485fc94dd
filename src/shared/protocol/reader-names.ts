/**
 * The names under which a peer's reading of streams goes at a server (protocol.md A4).
 * Law: few, and one peer's alone, so that a server can grant them by subject; no two pairs of workspace and peer share one.
 */
import { checkToken } from './subject.ts';

/** Readings of one stream that a peer may have under way at a server. */
const readersOfStream = 4;

/** The names of consumers of a moment that a peer reads streams through. Throws `invalid-subject` for what is no token. */
export function readerNames(workspace: string, peer: string): readonly string[] {
  const ws = checkToken(workspace, 'workspace');
  const owner = `${ws.length}-${ws}-${checkToken(peer, 'peer')}`;
  return Array.from({ length: readersOfStream }, (_, index) => `reader-${owner}-${index}`);
}

/** What the inboxes of a peer begin with at a server. Throws `invalid-subject` for what is no token. */
export function inboxPrefixOf(workspace: string, peer: string): string {
  return `_INBOX.${checkToken(workspace, 'workspace')}.${checkToken(peer, 'peer')}`;
}

/** A part of a peer's inboxes that tells its requests to other peers from what it asks of JetStream. */
export const requestMark = 'rq';

/** The inboxes of all peers for answers to their requests (A15). Throws `invalid-subject` for what is no token. */
export function requestInboxes(workspace: string): string {
  return `_INBOX.${checkToken(workspace, 'workspace')}.*.${requestMark}.>`;
}
