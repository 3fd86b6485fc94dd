/**
 * Looks through streams for whoever wants to know what lies there (docs/spec/trace.md T1, T6).
 * Law: it only reads, the newest of each; a stream that cannot be read is told, and says nothing of the others.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { TraceSearch } from '../../shared/contract/trace-search.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';

const pageLimit = 256;
/** Messages of each stream that are looked at, the newest. */
const perStream = 20_000;

export interface StreamSearchDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  /** Lets others run between two pages. */
  readonly rest: () => Promise<void>;
  readonly signal: AbortSignal;
}

type Take = (message: StoredMessage) => void;

async function readOne(name: string, { workspace, durable, rest, signal }: StreamSearchDeps, take: Take) {
  const stream = durable.stream(`VAK_${name}_${workspace}`);
  const { firstSeq, lastSeq } = await stream.state();
  const fromSeq = Math.max(firstSeq, lastSeq - perStream + 1);
  let readCount = 0;
  for (let next: number | undefined = fromSeq; next !== undefined && next <= lastSeq; ) {
    const page = await stream.read({ fromSeq: next, limit: pageLimit, signal });
    page.messages.forEach(take);
    readCount += page.messages.length;
    next = page.nextSeq;
    await rest();
    signal.throwIfAborted();
  }
  return { stream: name, readCount, isWhole: fromSeq <= Math.max(1, firstSeq), problem: null };
}

/** Hands on what lies in the streams of those short names, one after the other. Throws the signal's reason, and what `rest` throws. */
export async function readStreams(names: readonly string[], deps: StreamSearchDeps, take: Take) {
  const searches: TraceSearch[] = [];
  for (const name of names) {
    try {
      searches.push(await readOne(name, deps, take));
    } catch (error) {
      // One that was not made, may not be read or is not reachable now says nothing of the others.
      if (!isVakError(error) || deps.signal.aborted) throw error;
      searches.push({ stream: name, readCount: 0, isWhole: false, problem: error.message });
    }
  }
  return searches;
}
