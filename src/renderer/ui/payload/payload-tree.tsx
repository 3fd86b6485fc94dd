/** A payload as a tree of JSON; a large one says its size and asks first, and can be left while it is read. */

import { headBytes } from '../../../shared/base/slice-bounds.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { Button } from '../button.tsx';
import { describeError } from '../describe-error.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { formatBytes, formatCount } from '../format.ts';
import type { JsonOddities } from './json-check.ts';
import { JsonTree } from './json-tree.tsx';
import type { PayloadJson } from './use-payload-json.ts';
import './payload.css';

/** What other programs may read otherwise than it stands there. */
function Oddities({ repeatedNames, firstRepeated, inexactNumbers }: JsonOddities) {
  const lines = [
    repeatedNames > 0 &&
      `${formatCount(repeatedNames)} ${repeatedNames === 1 ? 'name stands' : 'names stand'} twice in one object; all are shown. First: ${visibleText(firstRepeated ?? '')}.`,
    inexactNumbers > 0 &&
      `${formatCount(inexactNumbers)} ${inexactNumbers === 1 ? 'number is' : 'numbers are'} shown as written; a program with 64-bit floats would change ${inexactNumbers === 1 ? 'it' : 'them'}.`,
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <div className="payload-why" data-testid="payload-oddities">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

export interface PayloadTreeProps {
  readonly sizeBytes: number;
  readonly json: PayloadJson;
  readonly onShowText: () => void;
}

export function PayloadTree({ sizeBytes, json: { state, readAll, cancel }, onShowText }: PayloadTreeProps) {
  const size = formatBytes(sizeBytes);
  switch (state.kind) {
    case 'read':
      if (state.reading.kind !== 'json') return null;
      return (
        <>
          <Oddities {...state.reading.oddities} />
          <JsonTree tree={state.tree} firstCount={state.reading.count} />
        </>
      );
    case 'lost':
      return (
        <div className="payload-wait">
          <ErrorNotice report={describeError('Read the payload', state.error)}>
            <Button onClick={cancel}>Back</Button>
          </ErrorNotice>
        </div>
      );
    case 'reading':
      return (
        <div className="payload-wait" data-testid="payload-reading">
          <p>
            Reading {formatBytes(state.gotBytes)} of {size}…
          </p>
          <progress aria-label="Bytes read" max={sizeBytes} value={state.gotBytes} />
          <div className="payload-choices">
            <Button onClick={cancel}>Cancel</Button>
          </div>
        </div>
      );
    case 'large':
      return (
        <div className="payload-wait" data-testid="payload-big">
          <p>This payload has {size}: as a tree it takes a moment.</p>
          <div className="payload-choices">
            <Button onClick={onShowText}>Show first {formatBytes(headBytes).replace('.0', '')} as text</Button>
            <Button onClick={readAll}>Open all</Button>
          </div>
        </div>
      );
  }
}
