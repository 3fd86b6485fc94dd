/** The table with its empty and failed states. */

import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { LiveTable, type LiveTableProps } from './live-table.tsx';
import { StreamsEmpty } from './streams-empty.tsx';
import { useRowsVersion } from './use-rows-model.ts';

const nextStep = 'Try again: the messages go on behind the last row that is shown.';

export interface MessagesPaneProps extends LiveTableProps {
  readonly session: string | null;
}

export function MessagesPane({ session, ...table }: MessagesPaneProps) {
  const { model } = table;
  useRowsVersion(model);
  const oldestSeq = useSnapshot('streams.status')?.oldestSeq ?? 0;
  return (
    <>
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
            <StreamsEmpty key={model.epoch} session={session} />
          </div>
        )}
      </div>
    </>
  );
}
