import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSessionOutput } from './session-output.ts';
import { createTerminalChunker, flushWithinMs, maxChunkBytes } from './terminal-chunker.ts';

interface Chunk {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

function collect() {
  const clock = createFakeClock();
  const chunks: Chunk[] = [];
  const chunker = createTerminalChunker({
    clock,
    emit: (offset, bytes) => chunks.push({ offset, bytes, atMs: clock.monotonic() }),
  });
  return { clock, chunks, chunker };
}

test('terminal chunker: bytes of any pushes and pauses leave in order, unchanged, once, in time, at most 32 KiB each', () => {
  const step = fc.record({
    size: fc.integer({ min: 0, max: 3 * maxChunkBytes }),
    pauseMs: fc.integer({ min: 0, max: 80 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { clock, chunks, chunker } = collect();
      const sent: { bytes: Uint8Array; atMs: number }[] = [];
      let next = 0;
      for (const { size, pauseMs } of steps) {
        const bytes = Uint8Array.from({ length: size }, () => next++ % 251);
        sent.push({ bytes, atMs: clock.monotonic() });
        chunker.push(bytes);
        clock.advance(pauseMs);
      }
      clock.advance(flushWithinMs);
      expect(
        Buffer.concat(chunks.map(({ bytes }) => bytes)).equals(Buffer.concat(sent.map(({ bytes }) => bytes))),
      ).toBe(true);
      let offset = 0;
      for (const chunk of chunks) {
        expect(chunk.offset).toBe(offset);
        expect(chunk.bytes.length).toBeGreaterThan(0);
        expect(chunk.bytes.length).toBeLessThanOrEqual(maxChunkBytes);
        offset += chunk.bytes.length;
      }
      let end = 0;
      for (const { bytes, atMs } of sent) {
        end += bytes.length;
        const last = chunks.find((chunk) => chunk.offset < end && end <= chunk.offset + chunk.bytes.length);
        if (bytes.length > 0) expect((last as Chunk).atMs - atMs).toBeLessThanOrEqual(flushWithinMs);
      }
      expect(clock.timerCount).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('terminal chunker: small writes share a chunk', () => {
  const { clock, chunks, chunker } = collect();
  for (let i = 0; i < 10; i++) {
    chunker.push(Uint8Array.of(i));
    clock.advance(4);
  }
  expect(chunks).toHaveLength(0);
  expect(clock.timerCount).toBe(1);
  clock.advance(10);
  expect(chunks.map(({ bytes }) => [...bytes])).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});

test('terminal chunker: a disposed one keeps no timer and says nothing', () => {
  const { clock, chunks, chunker } = collect();
  chunker.push(Uint8Array.of(1));
  chunker.dispose();
  clock.advance(1_000);
  expect(chunks).toHaveLength(0);
  expect(clock.timerCount).toBe(0);
});

const spanOf = (digit: string): TraceContext => ({
  ...{ traceId: digit.repeat(32), spanId: digit.repeat(16), flags: 3, tracestate: undefined },
});

test('session output: streams leave in the order of their first bytes, also when one gets full early', () => {
  const clock = createFakeClock();
  const said: string[] = [];
  const output = createSessionOutput({
    clock,
    publisher: { terminal: ({ stream, offset }) => said.push(`${stream} ${offset}`) },
    span: spanOf('1'),
  });
  output.push('stderr', Uint8Array.of(1));
  output.push('stdout', new Uint8Array(maxChunkBytes + 1));
  output.flush();
  expect(said).toEqual(['stderr 0', 'stdout 0', `stdout ${maxChunkBytes}`]);
  output.push('stdout', Uint8Array.of(1));
  output.push('stderr', Uint8Array.of(1));
  clock.advance(flushWithinMs);
  expect(said.slice(3)).toEqual([`stdout ${maxChunkBytes + 1}`, 'stderr 1']);
  output.dispose();
});

test('E4 session output: what waits leaves in the span of the command that printed it, before the next begins', () => {
  const said: string[] = [];
  const output = createSessionOutput({
    clock: createFakeClock(),
    publisher: { terminal: ({ offset, bytes }, { spanId }) => said.push(`${spanId[0]} ${offset} ${bytes.length}`) },
    span: spanOf('0'),
  });
  output.begin(spanOf('1'));
  output.push('stdout', new Uint8Array(3));
  output.begin(spanOf('2'));
  expect(said).toEqual(['1 0 3']);
  output.push('stdout', new Uint8Array(2));
  output.flush();
  expect(said).toEqual(['1 0 3', '2 3 2']);
  output.dispose();
});
