/** What led to a letter, what was tried since with what outcome, and who did what on record. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { AuditLine, LetterAncestor, LetterReport, LetterRetry } from '../../../shared/contract/dlq-contract.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';
import { StateMark } from './letter-marks.tsx';
import { outcomeWords } from './letter-words.ts';

function Retry({ retry }: { readonly retry: LetterRetry }) {
  const zone = useViewState((state) => state.timeZone);
  const { by, atMs, queue, isEdited, outcome, fingerprint, taskId } = retry;
  return (
    <li>
      <p>
        <StateMark word={outcomeWords[outcome]} />{' '}
        <span className="dim">
          {isEdited ? 'edited, ' : ''}into {visibleText(queue)} by {visibleText(by)}, {formatDateTime(atMs, zone)}
        </span>
      </p>
      <p>
        <CopyValue name="task id" value={taskId} maxLength={36} />
        {fingerprint !== null && <span className="data dim"> cause {fingerprint}</span>}
      </p>
    </li>
  );
}

function Ancestor({ ancestor }: { readonly ancestor: LetterAncestor }) {
  const zone = useViewState((state) => state.timeZone);
  const { id, subject, type, peer, atMs } = ancestor;
  return (
    <li>
      <p>
        <CopyValue name="message id" value={id} maxLength={36} />
      </p>
      <p className="dim">
        {subject === null
          ? 'not found here: it was before this window, or elsewhere'
          : [type, subject, peer]
              .filter((one) => one !== null)
              .map(visibleText)
              .join(' · ')}
        {atMs !== null && ` · ${formatDateTime(atMs, zone)}`}
      </p>
    </li>
  );
}

function Audit({ line }: { readonly line: AuditLine }) {
  const zone = useViewState((state) => state.timeZone);
  const { atMs, by, action, outcome, reason, operationId } = line;
  return (
    <li>
      <p>
        <span className="data">{visibleText(action)}</span> {visibleText(outcome)}{' '}
        <span className="dim">
          by {visibleText(by)}, {formatDateTime(atMs, zone)}
        </span>
      </p>
      {reason !== null && <p>{visibleText(reason)}</p>}
      <p className="dim">
        operation <CopyValue name="operation id" value={operationId} maxLength={36} />
      </p>
    </li>
  );
}

export function LetterHistory({ letter }: { readonly letter: LetterReport }) {
  const { retries, ancestors, audit } = letter;
  return (
    <div className="letter-page" data-testid="letter-history">
      <h3 className="detail-heading">Retries</h3>
      <ol className="letter-lines" data-testid="letter-retries">
        {retries.map((retry) => (
          <Retry key={retry.taskId} retry={retry} />
        ))}
      </ol>
      {retries.length === 0 && <p className="view-note dim">It was not retried.</p>}
      <h3 className="detail-heading">What led to it, nearest first</h3>
      <ol className="letter-lines">
        {ancestors.map((ancestor) => (
          <Ancestor key={ancestor.id} ancestor={ancestor} />
        ))}
      </ol>
      {ancestors.length === 0 && <p className="view-note dim">Its task names no cause.</p>}
      <h3 className="detail-heading">Audit: what is on record, signed</h3>
      <ol className="letter-lines" data-testid="letter-audit">
        {audit.map((line) => (
          <Audit key={`${line.operationId} ${line.action} ${line.outcome} ${line.atMs}`} line={line} />
        ))}
      </ol>
      {audit.length === 0 && <p className="view-note dim">Nothing is on record of it.</p>}
    </div>
  );
}
