/** A subject as it was typed with its first fault marked, and what is wrong there. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { SubjectFault } from '../../../shared/protocol/subject-fault.ts';

export interface SubjectFaultLineProps {
  readonly id: string;
  readonly text: string;
  readonly fault: SubjectFault;
}

export function SubjectFaultLine({ id, text, fault: { from, to, why } }: SubjectFaultLineProps) {
  const wrong = text.slice(from, to);
  return (
    <p id={id} className="subject-fault" data-testid="what-if-fault">
      <span className="subject-fault-text data" aria-hidden="true">
        {visibleText(text.slice(0, from))}
        <mark className={wrong === '' ? 'subject-fault-gap' : undefined}>
          {wrong === '' ? '\u00a0' : visibleText(wrong)}
        </mark>
        {visibleText(text.slice(to))}
      </span>
      <span className="identity-bad">
        {wrong === '' ? `After character ${from}` : `At character ${from + 1}`}: {why}.
      </span>
    </p>
  );
}
