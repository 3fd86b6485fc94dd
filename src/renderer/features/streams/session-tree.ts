/** The tree at the left as flat rows: all subjects, then the workspace with its live and its ended sessions. */
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';

interface NodeBase {
  /** Stable name: the tree keeps its focus by it. */
  readonly id: string;
  readonly level: 1 | 2 | 3;
  /** Place among its siblings, from 1, and how many there are. */
  readonly position: number;
  readonly siblings: number;
  readonly perSecond: number;
}
export interface AllNode extends NodeBase {
  readonly kind: 'all';
}
export interface BranchNode extends NodeBase {
  readonly kind: 'branch';
  readonly label: string;
  readonly sessionCount: number;
  readonly isExpanded: boolean;
}
export interface SessionNode extends NodeBase {
  readonly kind: 'session';
  readonly session: SessionSummary;
}
export type TreeNode = AllNode | BranchNode | SessionNode;

export interface TreeInput {
  /** In the order of the tree. */
  readonly sessions: readonly SessionSummary[];
  readonly workspace: string;
  readonly filter: string;
  readonly collapsed: ReadonlySet<string>;
  /** Rate of everything on the bus. */
  readonly allPerSecond: number;
}

/** Whether a session is meant by the filter: its peer, id or note holds the text. */
function isMeant(session: SessionSummary, needle: string): boolean {
  return [session.peer ?? '', session.session, session.note].some((text) => text.toLowerCase().includes(needle));
}

const sum = (sessions: readonly SessionSummary[]): number =>
  sessions.reduce((total, session) => total + session.perSecond, 0);

/** Builds the visible rows, top to bottom. */
export function sessionTree({ sessions, workspace, filter, collapsed, allPerSecond }: TreeInput): readonly TreeNode[] {
  const needle = filter.trim().toLowerCase();
  const meant = needle === '' ? sessions : sessions.filter((each) => isMeant(each, needle));
  const rows: TreeNode[] = [
    { kind: 'all', id: 'all', level: 1, position: 1, siblings: 2, perSecond: allPerSecond },
    branch({ id: 'workspace', label: workspace, level: 1, position: 2, siblings: 2, held: meant }, collapsed),
  ];
  if (collapsed.has('workspace')) return rows;
  const groups = [
    { id: 'live', label: 'Live', held: meant.filter((each) => each.state !== 'ended') },
    { id: 'ended', label: 'Ended', held: meant.filter((each) => each.state === 'ended') },
  ].filter((group) => group.held.length > 0);
  groups.forEach(({ id, label, held }, index) => {
    rows.push(branch({ id, label, level: 2, position: index + 1, siblings: groups.length, held }, collapsed));
    if (collapsed.has(id)) return;
    held.forEach((session, at) => {
      const place = { level: 3, position: at + 1, siblings: held.length } as const;
      rows.push({ kind: 'session', id: `session:${session.session}`, ...place, perSecond: session.perSecond, session });
    });
  });
  return rows;
}

interface BranchOf {
  readonly id: string;
  readonly label: string;
  readonly level: 1 | 2;
  readonly position: number;
  readonly siblings: number;
  readonly held: readonly SessionSummary[];
}

function branch({ held, ...place }: BranchOf, collapsed: ReadonlySet<string>): BranchNode {
  return {
    kind: 'branch',
    ...place,
    perSecond: sum(held),
    sessionCount: held.length,
    isExpanded: !collapsed.has(place.id),
  };
}
