/** The desk as views ask it, wherever it runs. Law: the thread of what is not looked at any more is gone. */
import type { JsonRow } from './json-rows.ts';
import { createPayloadDesk, type PayloadReading, type TreeMove, type TreeState } from './payload-desk.ts';
import { fetchAll, type PayloadSource } from './payload-source.ts';

export type WorkerRequest =
  | { readonly do: 'begin'; readonly sizeBytes: number }
  | { readonly do: 'part'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly do: 'read' }
  | { readonly do: 'rows'; readonly start: number; readonly end: number }
  | { readonly do: 'move'; readonly move: TreeMove };
export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

/** A tree of JSON that is drawn from where its rows are. */
export interface TreePort {
  rows(start: number, end: number): Promise<readonly JsonRow[]>;
  move(move: TreeMove): Promise<TreeState | undefined>;
}

export interface ReadPayload {
  readonly reading: PayloadReading;
  readonly tree: TreePort;
}

/** Reads a small payload here and now. */
export function readHere(bytes: Uint8Array): ReadPayload {
  const desk = createPayloadDesk(bytes);
  return {
    reading: desk.read(),
    tree: { rows: async (start, end) => desk.rows(start, end), move: async (move) => desk.move(move) },
  };
}

/** As much of a worker as is used. */
export type WorkerEnd = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onerror'>;

interface Asking {
  ask(request: WorkerRequest, moved?: ArrayBuffer): Promise<unknown>;
}

function askingOf(worker: WorkerEnd): Asking {
  const waiting = new Map<number, { readonly done: (value: unknown) => void; readonly fail: (error: Error) => void }>();
  let lastId = 0;
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) asked?.fail(new Error(data.error));
    else asked?.done(data.value);
  };
  worker.onerror = ({ message }) => {
    for (const { fail } of waiting.values()) fail(new Error(`the reader of the payload has ended: ${message}`));
    waiting.clear();
  };
  return {
    ask(request, moved) {
      const answer = new Promise((done, fail) => {
        const id = ++lastId;
        waiting.set(id, { done, fail });
        worker.postMessage({ id, request }, moved === undefined ? [] : [moved]);
      });
      // Whoever asked learns of a failure when it waits for the answer, which may be never.
      answer.catch(() => {});
      return answer;
    },
  };
}

export interface ReadingOptions {
  readonly signal: AbortSignal;
  /** Bytes that have come so far. */
  readonly onProgress: (bytes: number) => void;
  readonly createWorker: () => WorkerEnd;
}

/** Fetches a large payload into a worker and reads it there; the worker ends when `signal` aborts. */
export async function readInWorker(
  source: PayloadSource,
  { signal, onProgress, createWorker }: ReadingOptions,
): Promise<ReadPayload> {
  const worker = createWorker();
  const end = (): void => worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    const { ask } = askingOf(worker);
    const sent = [ask({ do: 'begin', sizeBytes: source.sizeBytes })];
    await fetchAll(source, {
      signal,
      onPart(offset, bytes) {
        const { length } = bytes;
        sent.push(ask({ do: 'part', offset, bytes }, bytes.buffer as ArrayBuffer));
        onProgress(offset + length);
      },
    });
    await Promise.all(sent);
    const reading = (await ask({ do: 'read' })) as PayloadReading;
    const tree: TreePort = {
      rows: (start, end) => ask({ do: 'rows', start, end }) as Promise<readonly JsonRow[]>,
      move: (move) => ask({ do: 'move', move }) as Promise<TreeState | undefined>,
    };
    return { reading, tree };
  } catch (error) {
    end();
    throw error;
  }
}
