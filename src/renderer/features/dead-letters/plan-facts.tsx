/** What a plan holds and what it leaves out, and the name to be typed where that is asked for. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterPlan } from '../../../shared/contract/dlq-contract.ts';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { leftOutWords, lettersWords } from './letter-words.ts';

/** Queues that are named; the rest is counted. */
const maxQueues = 6;

export function PlanFacts({ plan }: { readonly plan: LetterPlan }) {
  const { count, allCount, queues, leftOut, cutoffSeq } = plan;
  const rest = queues.slice(maxQueues).reduce((sum, one) => sum + one.count, 0);
  return (
    <div className="plan-facts" data-testid="plan-facts" data-count={count}>
      <p>
        <strong>{formatCount(count)}</strong> of {lettersWords(allCount)} in {visibleText(plan.environment)}, frozen up
        to #{formatCount(cutoffSeq)}: what fails later is not among them.
      </p>
      {queues.length > 0 && (
        <p className="dim">
          {queues
            .slice(0, maxQueues)
            .map((one) => `${visibleText(one.queue)} ${formatCount(one.count)}`)
            .join(' · ')}
          {rest > 0 && ` · others ${formatCount(rest)}`}
        </p>
      )}
      {leftOut.length > 0 && (
        <ul className="plan-left-out" aria-label="Left out" data-testid="plan-left-out">
          {leftOut.map((left) => (
            <li key={left.why} className="tone-wait">
              {leftOutWords(left)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export interface TypedNameProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** It has the focus: nothing is pressed by accident, since the way on is to type the name. */
export function TypedName({ name, value, onChange }: TypedNameProps) {
  return (
    <Field
      isData
      autoFocus
      label={`Type ${name} to confirm`}
      value={value}
      data-testid="plan-typed"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function ReasonField({
  value,
  onChange,
  isFirst = false,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly isFirst?: boolean;
}) {
  return (
    <Field
      label="Reason (optional)"
      hint="It stands in the signed record of what you do."
      maxLength={1024}
      autoFocus={isFirst}
      value={value}
      data-testid="plan-reason"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
