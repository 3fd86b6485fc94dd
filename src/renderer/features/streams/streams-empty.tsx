/** What stands in the table's place while it has no rows: why, and the next step. */
import { Play, Radio, Search, Terminal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatRelative } from '../../ui/format.ts';
import { Reading } from '../../ui/view-states.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { sessionName } from './tree-row.tsx';

/** A feed without a match sends nothing; after this the table is taken to be empty. */
const emptyAfterMs = 1000;

/** Whether the component has stood so long. */
function useHasWaited(): boolean {
  const [hasWaited, setHasWaited] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHasWaited(true), emptyAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return hasWaited;
}

function NoMessages() {
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  return (
    <EmptyState
      icon={Radio}
      title="No messages yet"
      what="Here is every message that passes on the bus, as it passes."
      next={
        readOnly === undefined
          ? 'Start the local swarm: four workers run real commands from queue local, and tasks, output and receipts appear here.'
          : `Nothing is sent from here: ${readOnly}. What others send appears as it passes.`
      }
    >
      <ActionButton action="swarm.start" variant="primary" icon={Play} />
      <ActionButton action="swarm.run" icon={Terminal} />
    </EmptyState>
  );
}

function NoneOfSession({ summary }: { readonly summary: SessionSummary | undefined }) {
  const { view } = useWorkbench();
  const showAll = (
    <Button onClick={() => view.setState({ selectedSession: null })} data-testid="show-all-subjects">
      Show all subjects
    </Button>
  );
  if (summary?.state === 'ended') {
    const ended = `It ended ${formatRelative(summary.lastSeenMs, Date.now())}${summary.note === '' || summary.note === 'ended' ? '' : `: ${visibleText(summary.note)}`}.`;
    return (
      <EmptyState
        icon={Search}
        title={`${sessionName(summary)} has ended`}
        what={ended}
        next="Its messages have left the buffer."
      >
        {showAll}
      </EmptyState>
    );
  }
  const name = summary === undefined ? 'this session' : sessionName(summary);
  return (
    <EmptyState
      icon={Search}
      title={`No messages of ${name}`}
      what="None of the messages in the buffer is of it."
      next="New ones appear here as they come."
    >
      {showAll}
    </EmptyState>
  );
}

function NoneMatches() {
  const { view } = useWorkbench();
  return (
    <EmptyState
      icon={Search}
      title="No message matches"
      what="None of the messages that the engine holds is what the filter asks for."
      next="New ones that match appear here as they come."
    >
      <Button onClick={() => view.setState({ messageFilter: '' })} data-testid="clear-message-filter">
        Clear the filter
      </Button>
    </EmptyState>
  );
}

export interface StreamsEmptyProps {
  /** The session that is selected; null: all subjects are shown. */
  readonly session: string | null;
  /** Only what a filter means is shown. */
  readonly isFiltered: boolean;
}

/** Give it a `key` that changes with the filter: its waiting begins anew. */
export function StreamsEmpty({ session, isFiltered }: StreamsEmptyProps) {
  const hasWaited = useHasWaited();
  const received = useSnapshot('streams.status')?.newestSeq;
  const summary = useSnapshot('sessions.list')?.sessions.find((each) => each.session === session);
  if (received === 0) return <NoMessages />;
  if (!hasWaited || received === undefined) return <Reading words="Reading the messages…" />;
  if (isFiltered) return <NoneMatches />;
  if (session === null) return <Reading words="Reading the messages…" />;
  return <NoneOfSession summary={summary} />;
}
