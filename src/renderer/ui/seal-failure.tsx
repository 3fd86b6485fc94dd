/** Why a sealed payload does not open (E9): cause, who sealed it, what to do next. */
import type { ReactNode } from 'react';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { OpenFailure, SealReport } from '../../shared/contract/trust-report.ts';
import { DetailNotice } from './detail-facts.tsx';
import { culpritWords, openFailureWords, sealedBy } from './trust-sentences.ts';

export interface SealFailureProps {
  readonly failure: OpenFailure;
  /** Undefined: nothing more is known of it. */
  readonly seal?: SealReport;
  /** A way to what is known of the seal. */
  readonly children?: ReactNode;
}

export function SealFailure({ failure, seal, children }: SealFailureProps) {
  const culprit = culpritWords(failure);
  return (
    <DetailNotice title={openFailureWords[failure.kind]} data-testid="open-failure">
      {culprit !== null && (
        <p>
          Changed: <strong>{visibleText(culprit)}</strong>
        </p>
      )}
      {seal?.kind === 'sealed' && (
        <p className="dim">
          Sealed with <span className="data">{visibleText(sealedBy(seal))}</span>
        </p>
      )}
      <p>{visibleText(failure.why)}</p>
      {children}
    </DetailNotice>
  );
}
