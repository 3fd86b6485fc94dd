import { expect, test, vi } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { readInWorker, type WorkerEnd } from './payload-port.ts';
import { type PayloadSource, sourceOf, wholeOf } from './payload-source.ts';
import { pageBytes, pageText } from './text-pages.ts';

/** The worker's own program, reached by copies of messages, as in a thread. */
async function startWorker(): Promise<WorkerEnd & { isEnded: boolean }> {
  vi.resetModules();
  const inside = { onmessage: (_event: { data: unknown }): void => {}, postMessage: (_message: unknown): void => {} };
  vi.stubGlobal('self', inside);
  await import('./payload-worker.ts');
  const end = {
    ...{ isEnded: false, onmessage: null, onerror: null },
    postMessage(message: unknown, moved: Transferable[] = []) {
      if (!end.isEnded) inside.onmessage({ data: structuredClone(message, { transfer: moved }) });
    },
    terminate() {
      end.isEnded = true;
    },
  } as unknown as WorkerEnd & { isEnded: boolean };
  inside.postMessage = (data) => void (end.onmessage as (event: unknown) => void)?.({ data: structuredClone(data) });
  vi.unstubAllGlobals();
  return end;
}

/** A source that gives at most a MiB at once, as the engine does, and counts how often it was asked. */
function slicedSource(bytes: Uint8Array) {
  const asked: number[] = [];
  const source: PayloadSource = {
    sizeBytes: bytes.length,
    head: bytes.slice(0, 65_536),
    async slice(offset, length) {
      asked.push(length);
      return bytes.slice(offset, offset + length);
    },
  };
  return { source, asked };
}

const text = `{"id":9007199254740993,"list":[${'"é",'.repeat(500_000)}-7210194211959421178]}`;

test('a large payload goes to the worker in slices, is read there, and its rows come as they are asked for', async () => {
  const worker = await startWorker();
  const { source, asked } = slicedSource(utf8(text));
  const seen: number[] = [];
  const { signal } = new AbortController();
  const read = await readInWorker(source, {
    signal,
    onProgress: (bytes) => seen.push(bytes),
    createWorker: () => worker,
  });
  expect(read.reading).toMatchObject({ kind: 'json', count: 3 });
  expect(Math.max(...asked)).toBe(1_048_576);
  expect([seen[0], seen.at(-1)]).toEqual([65_536, source.sizeBytes]);
  expect(await read.tree.rows(1, 2)).toMatchObject([{ name: 'id', value: { text: '9007199254740993' } }]);
  expect(await read.tree.move({ key: 'Enter', active: 2, pageRows: 9 })).toEqual({ count: 504, active: 2 });
  expect(await read.tree.move({ key: 'Enter', active: 503, pageRows: 9 })).toEqual({ count: 505, active: 503 });
  expect(await read.tree.rows(504, 505)).toMatchObject([{ name: '500000', value: { text: '-7210194211959421178' } }]);
  expect(await read.tree.move({ key: 'x', active: 0, pageRows: 9 })).toBeUndefined();
});

test('what is not looked at any more is fetched no further, and its worker has ended', async () => {
  const worker = await startWorker();
  const { source, asked } = slicedSource(new Uint8Array(5_000_000));
  const calls = new AbortController();
  const onProgress = (bytes: number): void => {
    if (bytes > 2_000_000) calls.abort();
  };
  await expect(
    readInWorker(source, { signal: calls.signal, onProgress, createWorker: () => worker }),
  ).rejects.toThrow();
  expect([asked.length, worker.isEnded]).toEqual([2, true]);
});

test('a slice that fails ends the reading with its cause', async () => {
  const worker = await startWorker();
  const source = { ...slicedSource(utf8(text)).source, slice: () => Promise.reject(new Error('it has left')) };
  const { signal } = new AbortController();
  const reading = readInWorker(source, { signal, onProgress: () => {}, createWorker: () => worker });
  await expect(reading).rejects.toThrow('it has left');
  expect(worker.isEnded).toBe(true);
});

test('slices put together are the bytes, and pages of text the text', async () => {
  const bytes = utf8(`a${'é😀'.repeat(30_000)}`);
  const { source } = slicedSource(bytes);
  expect(await wholeOf(source, new AbortController().signal)).satisfy(
    (got: Uint8Array) => Buffer.compare(got, bytes) === 0,
  );
  expect(sourceOf(bytes).head).toBe(bytes);
  let pages = '';
  for (let at = 0; at < bytes.length; at += pageBytes)
    pages += pageText(bytes.subarray(at, at + pageBytes + 3), at === 0);
  expect(pages === new TextDecoder().decode(bytes)).toBe(true);
});
