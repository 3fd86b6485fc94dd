/** One failure: what, why, what next, and the details to copy. */
import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import type { ErrorReport } from './describe-error.ts';
import './error-notice.css';

export interface ErrorNoticeProps {
  readonly report: ErrorReport;
  /** More buttons, such as "Try again". */
  readonly children?: ReactNode;
}

export function ErrorNotice({ report, children }: ErrorNoticeProps) {
  return (
    <div className="error-notice">
      <CircleX className="error-notice-icon" aria-hidden="true" />
      <div className="error-notice-text">
        <p className="error-notice-what">{report.doing}: failed</p>
        <p>{report.why}</p>
        <p className="dim">{report.next}</p>
        <div className="error-notice-actions">
          {children}
          <CopyButton text={report.details}>Copy details</CopyButton>
        </div>
      </div>
    </div>
  );
}
