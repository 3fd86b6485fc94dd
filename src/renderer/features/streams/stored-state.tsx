/** How the table over a stream stands: where it is, what is being read, and what the stream holds. */
import { formatBytes, formatCount, formatRelative } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import type { StoredModel } from './stored-model.ts';
import { useRowsVersion } from './use-rows-model.ts';
import { useStoredStreams } from './use-stored-streams.ts';

export interface StoredStateProps {
  readonly model: StoredModel;
}

/** What is being read of the stream, with how far it has got. */
function readingWords({ reading, span }: StoredModel): string | undefined {
  if (reading === undefined || span === undefined) return undefined;
  return reading === 'older'
    ? `looking through older ones · #${formatCount(span.fromSeq)} down to #${formatCount(span.firstSeq)}`
    : `looking through newer ones · #${formatCount(span.toSeq)} up to #${formatCount(span.lastSeq)}`;
}

function placeWords(model: StoredModel): string {
  const { scroll, buffer, selectedSeq, hasNewer } = model;
  if (model.pausedAt !== undefined) return 'paused · what is stored meanwhile waits in the stream';
  const reading = readingWords(model);
  if (reading !== undefined) return reading;
  if (scroll.isFollowing && hasNewer !== true) return 'following';
  const at = selectedSeq === undefined || buffer.findSeq(selectedSeq) < 0 ? '' : ` at #${formatCount(selectedSeq)}`;
  return hasNewer === true ? `in history${at}` : `detached${at} · following is ${formatCount(scroll.newCount)} behind`;
}

export function StoredPlace({ model }: StoredStateProps) {
  useRowsVersion(model);
  return <span data-testid="stored-place">{placeWords(model)}</span>;
}

export function StoredCounters({ model }: StoredStateProps) {
  const nowMs = useNow();
  const found = useStoredStreams()?.streams.find(({ name }) => name === model.stream);
  if (found === undefined) return null;
  const { messageCount, bytes, firstSeq, lastSeq, oldestMs } = found;
  return (
    <dl className="streams-counters" data-testid="stored-counters">
      <div>
        <dt title="Messages that lie in the stream now">stored</dt>
        <dd className="data">{formatCount(messageCount)}</dd>
      </div>
      <div>
        <dt title="What they take, in the stream">size</dt>
        <dd className="data">{formatBytes(bytes)}</dd>
      </div>
      {oldestMs !== null && (
        <div>
          <dt title="Numbers of the first and the last message, and when the first was stored">seq</dt>
          <dd className="data" title={`oldest ${formatRelative(oldestMs, nowMs)}`}>
            {`${formatCount(firstSeq)}–${formatCount(lastSeq)}`}
          </dd>
        </div>
      )}
    </dl>
  );
}
