/** Sessions in the order of the tree: by peer, then by age. Law: they are sorted anew only when one came, went or got another name. */
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';

const names = new Intl.Collator('en', { numeric: true });

const nameOf = ({ peer, session }: SessionSummary): string => peer ?? session;

/** The order does not change while they work. */
function inOrder(left: SessionSummary, right: SessionSummary): number {
  const byName = names.compare(nameOf(left), nameOf(right));
  return byName || left.firstSeenMs - right.firstSeenMs || (left.session < right.session ? -1 : 1);
}

/** Puts a list in order; of two lists one after the other most sessions are the same, in the same place. */
export type SessionOrder = (sessions: readonly SessionSummary[]) => readonly SessionSummary[];

/** Creates an order that remembers the last list. */
export function createSessionOrder(): SessionOrder {
  let last: readonly SessionSummary[] = [];
  /** Places in the last list. */
  let order: readonly number[] = [];

  const isSame = (sessions: readonly SessionSummary[]): boolean =>
    sessions.length === last.length &&
    sessions.every((one, place) => {
      const before = last[place];
      return before?.session === one.session && before.peer === one.peer && before.firstSeenMs === one.firstSeenMs;
    });

  return (sessions) => {
    const at = (place: number): SessionSummary => sessions[place] as SessionSummary;
    if (!isSame(sessions)) {
      order = Array.from(sessions.keys()).sort((left, right) => inOrder(at(left), at(right)));
    }
    last = sessions;
    return order.map(at);
  };
}
