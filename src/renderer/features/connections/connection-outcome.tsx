/** How the last thing that was done with a connection ended: what a test found, or what failed and what to do next. */
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ConnectionTest } from '../../../shared/contract/connections-contract.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Outcome } from './connection-work.ts';
import { testFacts, testSummary } from './test-words.ts';

function Tested({ result }: { readonly result: ConnectionTest }) {
  const { missing } = result;
  const Icon = missing.length === 0 ? CircleCheck : TriangleAlert;
  return (
    <>
      <p className="connection-summary">
        <Icon size={14} className={missing.length === 0 ? 'connection-ok' : 'connection-wait'} aria-hidden="true" />
        {testSummary(result)}
      </p>
      {missing.length > 0 && (
        <ul className="connection-missing">
          {missing.map(({ feature, needs }) => (
            <li key={feature}>
              <span>{feature}</span>
              <span className="dim">needs {needs}</span>
            </li>
          ))}
        </ul>
      )}
      <dl className="connection-facts">
        {testFacts(result).map(([label, value]) => (
          <div key={label}>
            <dt className="dim">{label}</dt>
            <dd className="data">{visibleText(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export interface ConnectionOutcomeProps {
  readonly outcome: Outcome;
  readonly onDismiss: () => void;
}

export function ConnectionOutcome({ outcome, onDismiss }: ConnectionOutcomeProps) {
  if (outcome.kind === 'running') return null;
  return (
    <div className="connection-outcome" role="status" data-testid="connection-outcome" data-kind={outcome.kind}>
      <div className="connection-outcome-text">
        {outcome.kind === 'tested' ? <Tested result={outcome.result} /> : <ErrorNotice report={outcome.report} />}
      </div>
      <IconButton icon={X} label="Dismiss" side="left" onClick={onDismiss} />
    </div>
  );
}
