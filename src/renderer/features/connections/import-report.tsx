/** What the import of contexts of the `nats` command line took over, and what not and why. */
import { Check, Minus, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import type { ImportOutcome } from './connection-work.ts';
import { useConnectionWork, useWorkState } from './use-connection-work.ts';

function summaryOf({ imported, skipped }: Extract<ImportOutcome, { kind: 'done' }>): string {
  if (imported.length + skipped.length === 0) return 'The nats command line has no contexts here.';
  const taken = `${formatCount(imported.length)} ${imported.length === 1 ? 'context' : 'contexts'} imported`;
  return skipped.length === 0 ? `${taken}.` : `${taken}, ${formatCount(skipped.length)} skipped.`;
}

function Report({ outcome }: { readonly outcome: ImportOutcome }) {
  if (outcome.kind === 'running') return <p className="dim">Reading the contexts of the nats command line…</p>;
  if (outcome.kind === 'failed') return <ErrorNotice report={outcome.report} />;
  return (
    <>
      <p className="connections-strong">{summaryOf(outcome)}</p>
      <ul className="connections-imported">
        {outcome.imported.map((name) => (
          <li key={`imported ${name}`}>
            <Check size={14} className="connection-ok" role="img" aria-label="imported" />
            <span className="data">{visibleText(name)}</span>
          </li>
        ))}
        {outcome.skipped.map(({ name, why }) => (
          <li key={`skipped ${name}`}>
            <Minus size={14} role="img" aria-label="skipped" />
            <span className="data">{visibleText(name)}</span>
            <span className="dim">{visibleText(why)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function ImportReport() {
  const work = useConnectionWork();
  const outcome = useWorkState((state) => state.imported);
  if (outcome === undefined) return null;
  return (
    <div className="connection-outcome connections-report" role="status" data-testid="import-report">
      <div className="connection-outcome-text">
        <Report outcome={outcome} />
      </div>
      {outcome.kind !== 'running' && <IconButton icon={X} label="Dismiss" side="left" onClick={work.dismissImport} />}
    </div>
  );
}
