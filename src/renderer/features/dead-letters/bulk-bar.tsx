/** What the keys and buttons act on now: always how many, of how many, and where. */
import { Archive, CheckCheck, Eye, FileDown, PenLine, RotateCw, Tag, Undo2 } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';
import { whyNotChange } from './letter-reasons.ts';
import type { LetterScope } from './letter-scope.ts';
import { lettersWords } from './letter-words.ts';

export interface BulkBarProps {
  readonly scope: LetterScope | undefined;
  /** What the filter and the group have, of all. */
  readonly matchingCount: number;
  readonly allCount: number;
  readonly environment: string;
  readonly isAll: boolean;
  readonly onAll: () => void;
  readonly onNone: () => void;
}

/** `412 matching of 10 341 letters in prod`. */
function bulkWords({ scope, matchingCount, allCount, environment }: Omit<BulkBarProps, 'isAll' | 'onAll' | 'onNone'>) {
  const where = `of ${lettersWords(allCount)} in ${environment}`;
  if (scope === undefined) return `Nothing is selected, ${where}`;
  if (scope.kind === 'matching') return `${formatCount(matchingCount)} matching ${where}`;
  if (scope.kind === 'picked') return `${formatCount(scope.seqs.length)} selected ${where}`;
  return `Letter ${formatCount(scope.seqs[0] ?? 0)}: 1 ${where}`;
}

export function BulkBar(props: BulkBarProps) {
  const { scope, isAll, onAll, onNone, matchingCount } = props;
  const fault = whyNotChange({ connection: useSnapshot('connections.state') });
  const isPicked = isAll || scope?.kind === 'picked';
  return (
    <div className="bulk-bar" role="toolbar" aria-label="What is done with the letters" data-testid="bulk-bar">
      <span className="bulk-words" role="status" data-testid="bulk-words">
        {visibleText(bulkWords(props))}
      </span>
      {isPicked ? (
        <Button variant="quiet" onClick={onNone}>
          Select none
        </Button>
      ) : (
        <Button variant="quiet" icon={CheckCheck} onClick={onAll}>
          {`Select all ${formatCount(matchingCount)}`}
        </Button>
      )}
      {fault !== undefined && (
        <span className="tone-wait bulk-fault" data-testid="bulk-fault">
          {visibleText(fault)}
        </span>
      )}
      <span className="bulk-actions">
        <ActionButton action="letters.retry" icon={RotateCw} variant="primary" label="Retry…" />
        <ActionButton action="letters.edit" icon={PenLine} label="Edit…" />
        <ActionButton action="letters.acknowledge" icon={Eye} label="Acknowledge" />
        <ActionButton action="letters.say" icon={Tag} label="Note…" />
        <ActionButton action="letters.archive" icon={Archive} label="Archive…" />
        <ActionButton action="letters.export" icon={FileDown} label="Bundle…" />
        <ActionButton action="letters.restore" icon={Undo2} label="Restore…" />
      </span>
    </div>
  );
}
