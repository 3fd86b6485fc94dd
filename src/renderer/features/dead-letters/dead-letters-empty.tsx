/** The view while there is no dead letter to show: none there, none that matches. */
import { Layers, Play, Skull } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { NoMatch } from '../../ui/view-states.tsx';
import { useSnapshot } from '../../workbench.tsx';

export function NoLetters() {
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  return (
    <EmptyState
      icon={Skull}
      title="No task has failed for good"
      what="A dead letter is a task that failed as often as its queue allows: it waits here, with every attempt, until somebody retries or archives it."
      next={
        readOnly === undefined
          ? 'To see some, start the local swarm: some of its commands fail. Nothing has to be done until then.'
          : `Nothing is begun from here: ${readOnly}. What fails for others appears here. Nothing has to be done until then.`
      }
    >
      {readOnly === undefined && <ActionButton action="swarm.start" variant="primary" icon={Play} />}
      <ActionButton action="view.queues" icon={Layers} />
    </EmptyState>
  );
}

interface NoLetterFoundProps {
  readonly hasFault: boolean;
  readonly onClear: () => void;
  /** What else may show more. */
  readonly hint?: string;
}

export function NoLetterFound({
  hasFault,
  onClear,
  hint = ' What is archived shows only with state:archived.',
}: NoLetterFoundProps) {
  return (
    <NoMatch onClear={onClear} data-testid="letters-no-match">
      {hasFault
        ? 'The filter has a fault, so it finds nothing: what is wrong stands below it.'
        : `No dead letter matches.${hint}`}
    </NoMatch>
  );
}
