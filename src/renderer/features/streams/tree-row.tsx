/** One row of the session tree. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import { formatCount, formatRate, shortenId } from '../../ui/format.ts';
import type { TreeNode } from './session-tree.ts';

export interface TreeRowProps {
  readonly id: string;
  readonly node: TreeNode;
  readonly topPx: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onChoose: (node: TreeNode) => void;
  readonly onOpen: (session: string) => void;
}

/** `worker-3`, or the session's own id when nobody has said whose it is. */
export function sessionName({ peer, session }: SessionSummary): string {
  return visibleText(peer ?? shortenId(session, 16));
}

const stateWords = { live: 'live', stale: 'silent', ended: 'ended' } as const;

function SessionRow({ session }: { readonly session: SessionSummary }) {
  const rate = session.state === 'stale' ? 'stale' : session.state === 'ended' ? '' : formatRate(session.perSecond);
  return (
    <>
      <span className={`session-glyph session-glyph-${session.state}`} aria-hidden="true" />
      <span className="session-name">{sessionName(session)}</span>
      <span className="session-note">{visibleText(session.note)}</span>
      <span className="visually-hidden">{stateWords[session.state]}</span>
      <span className="session-rate data">{rate}</span>
    </>
  );
}

function Row({ id, node, topPx, isActive, isSelected, onChoose, onOpen }: TreeRowProps) {
  const isBranch = node.kind === 'branch';
  const session = node.kind === 'session' ? node.session : undefined;
  return (
    // The keyboard is handled by the tree: the rows are its active descendants.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and answers the keys for its active row.
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus; its rows are active descendants (WAI-ARIA tree).
    <div
      id={id}
      role="treeitem"
      aria-level={node.level}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-selected={isSelected}
      aria-expanded={isBranch ? node.isExpanded : undefined}
      className={`tree-row tree-row-${node.level}${isActive ? ' tree-row-active' : ''}${session ? ` tree-row-${session.state}` : ''}`}
      style={{ transform: `translateY(${topPx}px)` }}
      title={
        session &&
        `${visibleText(session.peer ?? 'unknown peer')} · session ${visibleText(session.session)}\n${formatCount(session.messageCount)} messages · ${visibleText(session.note)}`
      }
      data-testid="tree-item"
      data-id={node.id}
      data-state={session?.state}
      onClick={() => onChoose(node)}
      onDoubleClick={() => session && onOpen(session.session)}
    >
      {isBranch &&
        (node.isExpanded ? (
          <ChevronDown size={14} aria-hidden="true" />
        ) : (
          <ChevronRight size={14} aria-hidden="true" />
        ))}
      {session && <SessionRow session={session} />}
      {!session && (
        <>
          <span className="session-name">{isBranch ? visibleText(node.label) : 'All subjects'}</span>
          {isBranch && <span className="session-note">{formatCount(node.sessionCount)}</span>}
          <span className="session-rate data">{formatRate(node.perSecond)}</span>
        </>
      )}
    </div>
  );
}

export const TreeRow = memo(Row);
