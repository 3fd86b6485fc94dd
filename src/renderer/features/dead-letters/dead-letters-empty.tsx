/** The view while there is no dead letter to show: nothing read yet, none there, none that matches. */
import { Layers, Skull } from 'lucide-react';
import { type ErrorShape, VakError } from '../../../shared/base/vak-error.ts';
import type { LettersState } from '../../../shared/contract/dlq-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { waitingWords } from './letter-words.ts';

export function NoLetters() {
  return (
    <EmptyState
      icon={Skull}
      title="No task has failed for good"
      what="A dead letter is a task that failed as often as its queue allows: it waits here, with every attempt, until somebody retries or archives it."
      next="To see some, start the local swarm: some of its commands fail. Nothing has to be done until then."
    >
      <ActionButton action="swarm.start" variant="primary" />
      <ActionButton action="view.queues" icon={Layers} />
    </EmptyState>
  );
}

interface NoMatchProps {
  readonly hasFault: boolean;
  readonly onClear: () => void;
  /** What else may show more. */
  readonly hint?: string;
}

export function NoMatch({
  hasFault,
  onClear,
  hint = ' What is archived shows only with state:archived.',
}: NoMatchProps) {
  return (
    <div className="letter-none" data-testid="letters-no-match">
      <p>
        {hasFault
          ? 'The filter has a fault, so it finds nothing: what is wrong stands below it.'
          : `No dead letter matches.${hint}`}
      </p>
      <Button onClick={onClear}>Clear the filter</Button>
    </div>
  );
}

/** They could not be read, not once on this connection. */
export function UnreadLetters({ problem }: { readonly problem: ErrorShape }) {
  return (
    <div className="letter-none">
      <ErrorNotice report={describeError('Read the dead letters', VakError.fromShape(problem))} />
      <p className="dim">They are read again by themselves; nothing has to be pressed.</p>
    </div>
  );
}

/** Only where the first reading takes a while. */
export function LettersSkeleton({ state }: { readonly state: LettersState | undefined }) {
  return (
    <div className="letters-skeleton late" role="status" data-testid="letters-waiting">
      <p className="letters-skeleton-words dim">{waitingWords(state)}</p>
      {[220, 160, 190, 120, 172].map((width) => (
        <div key={width} className="letters-skeleton-row">
          <span style={{ width: `${width}px` }} />
          <span style={{ width: '320px' }} />
        </div>
      ))}
    </div>
  );
}
