import { beforeEach, expect, it } from 'vitest';
import { openEmbeddedStreams } from '../../../tests/support/embedded-streams.ts';
import type { DurablePlane, Stream } from '../bus/durable.ts';
import { createStreamReading, type Noting, type StreamReading } from './stream-reading.ts';

const subject = 'vak.receipts.acme.s-1-d.completed';
let durable: DurablePlane;
let append: (text: string | Uint8Array) => Promise<unknown>;
let asked: string[];
/** What was noted, `seq` and whether it was told before; and what a note comes to. */
let noted: [number, boolean][];
let noting: (seq: number) => Noting;
let basis: number;

beforeEach(async () => {
  const { plane } = await openEmbeddedStreams();
  await plane.ensureStream({
    ...{ name: 'S', subjects: [subject], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 600_000 },
  });
  [asked, noted, noting, basis] = [[], [], () => 'noted', 0];
  append = (text) => plane.append(subject, typeof text === 'string' ? new TextEncoder().encode(text) : text);
  const stream = (name: string): Stream => {
    const one = plane.stream(name);
    const counting = <A extends unknown[], R>(what: string, run: (...args: A) => R) => {
      return (...args: A): R => {
        asked.push(what);
        return run(...args);
      };
    };
    return { ...one, state: counting('state', one.state), read: counting('read', one.read) };
  };
  durable = { ...(plane as unknown as DurablePlane), stream };
});

const reading = (pageLimit?: number, rest = async () => {}): StreamReading =>
  createStreamReading({
    ...{ durable, stream: 'S', from: { fromMs: 0 } },
    note({ seq }, isTold) {
      noted.push([seq, isTold]);
      return noting(seq);
    },
    ...(pageLimit === undefined ? {} : { pace: { pageLimit, rest, basis: () => basis } }),
  });

it('W9 who reads again and again asks first, and reads no page while nothing is new', async () => {
  const one = reading(10);
  await one.read();
  for (const text of ['a', 'b', 'c']) await append(text);
  asked = [];
  await one.read();
  for (let i = 0; i < 5; i++) await one.read();
  expect(asked).toEqual(['state', 'read', 'state', 'state', 'state', 'state', 'state']);
  expect(noted).toEqual([
    [1, false],
    [2, false],
    [3, false],
  ]);
});

it('W9 pages are small, with a rest between them; one that is broken off is gone on with', async () => {
  for (let i = 0; i < 25; i++) await append(`${i}`);
  let rests = 0;
  const one = reading(10, async () => {
    rests++;
    if (rests === 2) throw new Error('stop');
  });
  await expect(one.read()).rejects.toThrow('stop');
  expect(noted).toHaveLength(20);
  await one.read();
  expect(noted.map(([seq]) => seq)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
});

it('I4 what is unproven is judged anew each time, and told as such once; nothing else is', async () => {
  const one = reading();
  for (const text of ['a', 'b']) await append(text);
  noting = (seq) => (seq === 1 ? 'unproven' : 'noted');
  await one.read();
  await one.read();
  noting = () => 'noted';
  await one.read();
  await one.read();
  expect(noted).toEqual([
    [1, false],
    [2, false],
    [1, true],
    [1, true],
  ]);
});

it('I4 who reads again and again judges anew only what more is known of', async () => {
  const one = reading(10);
  await append('a');
  noting = () => 'unproven';
  for (let i = 0; i < 5; i++) await one.read();
  expect(noted).toEqual([[1, false]]);
  basis++;
  noting = () => 'noted';
  for (let i = 0; i < 5; i++) await one.read();
  expect(noted).toEqual([
    [1, false],
    [1, true],
  ]);
});

it('E22 what nobody can judge is held within 16 MiB, the newest of it', async () => {
  const one = reading();
  for (let i = 0; i < 20; i++) await append(new Uint8Array(1024 * 1024));
  noting = () => 'locked';
  await one.read();
  expect(one.isLocked()).toBe(true);
  noted = [];
  await one.read();
  expect(noted.map(([seq]) => seq)).toEqual(Array.from({ length: 16 }, (_, i) => i + 5));
});
