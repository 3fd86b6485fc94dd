/**
 * A bucket of objects as a peer sees it over its channel (protocol.md B5).
 * Law: a few parts of an object are in memory, never the whole; its author learns when nobody wants more.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ObjectBucket } from '../durable.ts';
import { cutIntoChunks } from '../object-chunks.ts';
import type { ChannelCalls } from './channel-calls.ts';
import { maxPartBytes, partWindow } from './durable-frames.ts';
import { createPartQueue } from './part-queue.ts';

function checkGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new VakError('aborted', 'object: cancelled');
}

async function* getObject(
  calls: ChannelCalls,
  where: { readonly bucket: string; readonly name: string },
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const parts = createPartQueue<Uint8Array>();
  const flow = calls.open(
    { method: 'object-get', ...where },
    {
      signal,
      onFrame(frame) {
        if (frame.kind === 'durable-part') parts.push(frame.data);
      },
    },
  );
  flow.answer.then(parts.end, parts.fail);
  try {
    for (let part = await parts.next(); part !== undefined; part = await parts.next()) {
      checkGoing(signal);
      yield part;
      checkGoing(signal);
      flow.next();
    }
  } finally {
    flow.abort();
  }
}

/** Hands an author's parts over, as many as main asks for. */
async function feed(
  author: AsyncIterable<Uint8Array>,
  flow: { part(data: Uint8Array): void; end(): void },
  { credits, signal }: { readonly credits: { next(): Promise<unknown> }; readonly signal: AbortSignal },
): Promise<void> {
  for await (const part of cutIntoChunks(author, maxPartBytes, signal)) {
    await credits.next();
    flow.part(part);
  }
  flow.end();
}

/** Makes a handle of a bucket; there need be none of that name. */
export function createChannelObjects(calls: ChannelCalls, bucket: string): ObjectBucket {
  return {
    async put(name, chunks, { signal } = {}) {
      const credits = createPartQueue<true>();
      for (let count = 0; count < partWindow; count++) credits.push(true);
      const flow = calls.open(
        { method: 'object-put', bucket, name },
        {
          signal,
          onFrame(frame) {
            if (frame.kind === 'durable-next') credits.push(true);
          },
        },
      );
      const over = new AbortController();
      let failure: { readonly error: unknown } | undefined;
      const feeding = feed(chunks, flow, { credits, signal: over.signal }).catch((error: unknown) => {
        // What was cut off here tells nothing: main says why.
        if (!over.signal.aborted) failure = { error };
        flow.abort();
      });
      try {
        return await flow.answer;
      } catch (error) {
        throw failure === undefined ? error : failure.error;
      } finally {
        over.abort();
        credits.fail(new VakError('aborted', 'object: it is over'));
        // The author may hang; what it does then is its own.
        void feeding;
      }
    },
    info: (name) => calls.ask({ method: 'object-info', bucket, name }),
    get: (name, { signal } = {}) => getObject(calls, { bucket, name }, signal),
    delete: (name) => calls.ask({ method: 'object-delete', bucket, name }),
    list: () => calls.ask({ method: 'object-list', bucket }),
  };
}
