/**
 * The streams of the engine in use, for people: what lies in each, and how old it is.
 * Law: it is read when somebody looks, never remembered; what cannot be read is said, with why.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { StoredStream, StoredStreams } from '../../shared/contract/streams-contract.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { DurablePlane, StreamState } from '../bus/durable.ts';
import { stateIfThere } from '../bus/stream-state.ts';

/** A server keeps key-value and objects in streams of these names; they are none of messages. */
const isBucket = (name: string): boolean => name.startsWith('KV_') || name.startsWith('OBJ_');

/** All that there are; where a server lists its streams for nobody (A13), those of the workspace. */
async function statesOf(durable: DurablePlane, workspace: string): Promise<readonly StreamState[]> {
  try {
    return await durable.streams();
  } catch (error) {
    if (!isVakError(error, 'unauthorized') && !isVakError(error, 'forbidden') && !isVakError(error, 'timeout'))
      throw error;
    const known = await Promise.all(streamsOf(workspace).map(({ name }) => stateIfThere(durable, name)));
    return known.filter((one) => one !== undefined);
  }
}

async function storedMs(durable: DurablePlane, name: string, seq: number): Promise<number | null> {
  return (await durable.stream(name).get(seq))?.storedMs ?? null;
}

async function streamOf(durable: DurablePlane, state: StreamState): Promise<StoredStream> {
  const { spec, messageCount, bytes, firstSeq, lastSeq } = state;
  const isEmpty = messageCount === 0;
  const [oldestMs, newestMs] = isEmpty
    ? [null, null]
    : await Promise.all([storedMs(durable, spec.name, firstSeq), storedMs(durable, spec.name, lastSeq)]);
  return { name: spec.name, subjects: spec.subjects, messageCount, bytes, firstSeq, lastSeq, oldestMs, newestMs };
}

/** Looks. Rejects with what is no VakError. */
export async function lookAtStreams(durable: DurablePlane, workspace: string): Promise<StoredStreams> {
  try {
    const states = (await statesOf(durable, workspace)).filter(({ spec }) => !isBucket(spec.name));
    const streams = await Promise.all(states.map((state) => streamOf(durable, state)));
    return { streams: streams.sort((a, b) => (a.name < b.name ? -1 : 1)), why: null };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { streams: [], why: error.message };
  }
}
