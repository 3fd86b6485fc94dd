/** The table with its empty and failed states. */
import type { RefObject } from 'react';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { LiveTable, type LiveTableProps } from './live-table.tsx';
import { MessageFilterField } from './message-filter-field.tsx';
import { StoredEmpty } from './stored-empty.tsx';
import { StreamsEmpty } from './streams-empty.tsx';
import type { AnyTable } from './streams-toolbar.tsx';
import { useRowsVersion } from './use-rows-model.ts';

const nextStep = 'Try again: the messages go on behind the last row that is shown.';

export interface MessagesPaneProps extends LiveTableProps {
  readonly model: AnyTable;
  readonly session: string | null;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  readonly onLeaveFilter: () => void;
}

export function MessagesPane({ session, filterRef, onLeaveFilter, ...table }: MessagesPaneProps) {
  const { model } = table;
  useRowsVersion(model);
  const isFiltered = useViewState((state) => state.messageFilter.trim() !== '');
  const oldestSeq = useSnapshot('streams.status')?.oldestSeq ?? 0;
  return (
    <>
      <MessageFilterField model={model} inputRef={filterRef} onLeave={onLeaveFilter} />
      {model.error && (
        <div className="streams-notice">
          <ErrorNotice report={{ ...describeError('Receive messages', model.error), next: nextStep }}>
            <Button onClick={() => model.retry(oldestSeq)} data-testid="feed-retry">
              Try again
            </Button>
          </ErrorNotice>
        </div>
      )}
      <div className="streams-table-place">
        <LiveTable {...table} />
        {model.buffer.size === 0 && !model.error && (
          <div className="streams-empty" data-testid="streams-empty">
            {model.kind === 'live' ? (
              <StreamsEmpty key={model.epoch} session={session} isFiltered={isFiltered} />
            ) : (
              <StoredEmpty key={model.epoch} model={model} isFiltered={isFiltered} />
            )}
          </div>
        )}
      </div>
    </>
  );
}
