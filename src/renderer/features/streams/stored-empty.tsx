/** What stands in the table's place while it has no rows of a stream: why, and the next step. */
import { Database, Search } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format.ts';
import { Reading } from '../../ui/view-states.tsx';
import { useWorkbench } from '../../workbench.tsx';
import type { StoredModel } from './stored-model.ts';

export interface StoredEmptyProps {
  readonly model: StoredModel;
  readonly isFiltered: boolean;
}

/** Give it a `key` that changes with what is shown: its waiting begins anew. */
export function StoredEmpty({ model, isFiltered }: StoredEmptyProps) {
  const { view } = useWorkbench();
  const { span, reading, stream = '' } = model;
  if (span === undefined) return <Reading words="Reading the stream…" />;
  if (isFiltered && span.firstSeq <= span.lastSeq) {
    const isLooking = reading !== undefined;
    return (
      <EmptyState
        icon={Search}
        title={isLooking ? 'No message matches so far' : 'No message matches'}
        what={
          isLooking
            ? `Looked at #${formatCount(span.fromSeq)} to #${formatCount(span.toSeq)}, of #${formatCount(span.firstSeq)} to #${formatCount(span.lastSeq)}.`
            : 'None of the messages in the stream is what the filter asks for.'
        }
        next="New ones that match appear here as they are stored."
      >
        <Button onClick={() => view.setState({ messageFilter: '' })} data-testid="clear-message-filter">
          Clear the filter
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Database}
      title={`${visibleText(stream)} is empty`}
      what="Nothing lies in this stream now."
      next="What is stored appears here at once."
    >
      <Button onClick={() => view.setState({ selectedStream: null })}>Show what is heard live</Button>
    </EmptyState>
  );
}
