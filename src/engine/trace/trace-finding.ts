/**
 * Which trace an envelope is of (docs/spec/trace.md T10).
 * Law: it only reads, the same that a trace is gathered from; what says that the envelope caused it tells its trace too, where it is gone itself.
 */
import { parseTraceparent } from '../../shared/protocol/trace-context.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { MessageBuffer } from '../feeds/message-buffer.ts';
import { readStreams, type StreamSearchDeps } from './stream-search.ts';
import { traceBounds, traceStreams } from './trace-gathering.ts';
import { mayHold } from './trace-record.ts';

export interface TraceFindingDeps extends StreamSearchDeps {
  readonly reader: EnvelopeReader;
  readonly buffer: Pick<MessageBuffer, 'get' | 'newestSeq'>;
}

/** What was found so far: of the envelope itself rather than of what it caused. */
function createFound(envelopeId: string, reader: EnvelopeReader) {
  const needle = Buffer.from(envelopeId);
  let [own, caused]: [string | undefined, string | undefined] = [undefined, undefined];
  return {
    take({ data }: { readonly data: Uint8Array }): void {
      const read = own === undefined && mayHold(data, needle) ? reader.read(data) : undefined;
      if (read?.kind !== 'envelope') return;
      const { id, causationid, traceparent } = read.envelope;
      const traceId = traceparent === undefined ? undefined : parseTraceparent(traceparent)?.traceId;
      if (id === envelopeId) own = traceId;
      else if (causationid === envelopeId) caused ??= traceId;
    },
    own: () => own,
    traceId: () => own ?? caused ?? null,
  };
}

/** The id of its trace, 32 lower hex digits; null: nothing of it is here. Throws the signal's reason, and what `rest` throws. */
export async function findTraceOf(envelopeId: string, deps: TraceFindingDeps): Promise<string | null> {
  const { buffer, reader, rest, signal } = deps;
  const found = createFound(envelopeId, reader);
  const newest = buffer.newestSeq;
  let bytes = 0;
  for (let seq = newest; seq > newest - traceBounds.heard && bytes <= traceBounds.heardBytes; seq--) {
    const held = buffer.get(seq);
    if (held === undefined || found.own() !== undefined) break;
    bytes += held.data.length;
    found.take(held);
    if (seq % 4_096 === 0) await rest();
    signal.throwIfAborted();
  }
  if (found.own() === undefined) await readStreams(traceStreams, deps, found.take);
  return found.traceId();
}
