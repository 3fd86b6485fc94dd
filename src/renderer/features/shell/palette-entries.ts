/** What the palette and the sheet of keys list, and in which order. */
import { defaultFilter } from 'cmdk';
import type { QueueHealth, QueueState } from '../../../shared/contract/queues-contract.ts';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import type { Action } from '../../actions/action-registry.ts';

/** Most sessions or queues that the palette shows at once; typing narrows them down. */
const maxShown = 30;
/** Most of them before anything is typed. */
const maxSuggested = 5;

/** Groups that stand at the end, in this order; those of the view and its features come first. */
const lastGroups = ['Go to', 'Appearance', 'Workbench', 'Developer'];

/** Actions by group: the shown view's first, then in order of their first action, the frame's own at the end. */
export function groupActions(
  actions: readonly Action[],
  firstGroup: string,
): readonly (readonly [string, readonly Action[]])[] {
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const group = groups.get(action.group);
    if (group === undefined) groups.set(action.group, [action]);
    else group.push(action);
  }
  const rank = (group: string): number => (group === firstGroup ? -2 : lastGroups.indexOf(group));
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}

/** Letters that stand somewhere in a text in that order score below this: what matches so is not what was meant. */
const leastScore = 0.1;

/** How well what was typed names an entry; 0: not at all. */
export function paletteScore(value: string, search: string, keywords: string[] = []): number {
  const score = defaultFilter(value, search, keywords);
  return score < leastScore ? 0 : score;
}

const stateRank = { live: 0, stale: 1, ended: 2 } as const;

/** Sessions whose name or peer contains the query, live ones first, then the last heard. */
export function findSessions(sessions: readonly SessionSummary[], query: string): readonly SessionSummary[] {
  const part = query.trim().toLowerCase();
  const hasPart = ({ session, peer }: SessionSummary): boolean =>
    session.toLowerCase().includes(part) || (peer?.toLowerCase().includes(part) ?? false);
  return sessions
    .filter(hasPart)
    .sort((a, b) => stateRank[a.state] - stateRank[b.state] || b.lastSeenMs - a.lastSeenMs)
    .slice(0, part === '' ? maxSuggested : maxShown);
}

const healthRank: Readonly<Record<QueueHealth, number>> = {
  stuck: 0,
  'no-consumer': 1,
  paused: 2,
  waiting: 3,
  ok: 4,
  idle: 5,
};

/** Queues whose name contains the query, those that are amiss first, then by name as they come. */
export function findQueues(queues: readonly QueueState[], query: string): readonly QueueState[] {
  const part = query.trim().toLowerCase();
  return queues
    .filter(({ queue }) => queue.toLowerCase().includes(part))
    .sort((a, b) => healthRank[a.health] - healthRank[b.health])
    .slice(0, part === '' ? maxSuggested : maxShown);
}
