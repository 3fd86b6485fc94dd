import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { ExportInput, ExportsState } from '../../shared/contract/streams-contract.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createExportService } from './export-service.ts';
import { createRowReader } from './row-reader.ts';
import { createStoredReader } from './stored-reader.ts';
import { createSubjectReader } from './subject-reader.ts';

const stream = 'VAK_RECEIPTS_acme';
const subject = 'vak.receipts.acme.s1-d.completed';
const random = Uint8Array.from({ length: 500_000 }, (_, at) => (at * 2_654_435_761) >>> 24);
/** What tools alter. */
const payloads: readonly Uint8Array[] = [
  utf8('{"a":9007199254740993,"b":-7210194211959421178,"c":1e400,"d":1.0}'),
  Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
  utf8('a\0b\r\n\u202e\u001b]52;c;AAAA\u0007'),
  random,
];
const plain: ExportInput = { stream, format: 'ndjson', withPayload: true };
let place: WatchedPlace;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-export-'));
});
afterEach(async () => {
  await place.close();
  rmSync(folder, { recursive: true });
});

async function setUp(engine: 'embedded' | 'nats-server' = 'embedded') {
  place = await openWatchedPlace(engine);
  const { workspace, fabric, clock } = place;
  const { reader, buffer, intake } = workspace;
  const subjects = createSubjectReader();
  const stored = createStoredReader({
    ...{ ...workspace.judging, reader, opener: workspace.opener, durable: fabric.durable, clock },
    ...{ knowledge: { look: () => {}, followsAliases: false }, contentProblem: () => undefined },
    ...{ subjects, peerOf: () => null, logger: createSilentLogger() },
  });
  const states: ExportsState[] = [];
  const hooks: { onChange?: () => void } = {};
  const to = { path: join(folder, 'out') };
  const asked: string[] = [];
  const service = createExportService({
    ...{ durable: fabric.durable, buffer, intake, stored, subjects, clock },
    rows: createRowReader({ subjects, reader, intake, peerOf: () => null }),
    prompt: {
      async chooseSaveFile({ defaultName }) {
        asked.push(defaultName);
        return to.path;
      },
    },
    onChange() {
      states.push(service.state());
      hooks.onChange?.();
    },
  });
  const worker = workspace.peer('w1', { session: 's1-d', kind: 'd' });
  /** Seals, signs and stores; gives the bytes as they went. */
  async function say(payload: Uint8Array): Promise<Uint8Array> {
    let data = new Uint8Array();
    worker.author.publish({ subject, payload, trace: startTrace(workspace.randomness.bytes) }, (bytes) => {
      data = Uint8Array.from(bytes);
    });
    await place.store(subject, data);
    return data;
  }
  /** Runs while time passes. */
  async function start(input: ExportInput, signal = new AbortController().signal) {
    const work = service.start(input, signal);
    let isOver = false;
    work
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    await place.until(() => isOver);
    return await work;
  }
  return { service, start, say, states, hooks, to, asked, intake };
}

interface Line {
  readonly seq: number;
  readonly stream: string | null;
  readonly message_base64: string;
  readonly payload_base64?: string;
}
const linesOf = (path: string): readonly Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const fromBase64 = (text: string | undefined): Uint8Array => new Uint8Array(Buffer.from(text ?? '', 'base64'));

/** Heads and contents of the frames. */
function framesOf(path: string): readonly (readonly [Record<string, unknown>, Uint8Array])[] {
  const bytes = readFileSync(path);
  expect(bytes.subarray(0, 8).toString()).toBe('vakraw1\n');
  const frames: (readonly [Record<string, unknown>, Uint8Array])[] = [];
  let at = 8;
  const next = (): Buffer => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    return bytes.subarray(start, at);
  };
  while (at < bytes.length) frames.push([JSON.parse(next().toString()), new Uint8Array(next())]);
  return frames;
}

describe.each(['embedded', 'nats-server'] as const)('%s', (engine) => {
  it('V6 messages and their payloads are exported byte for byte, whatever they are', async () => {
    const { start, say, to } = await setUp(engine);
    const messages: Uint8Array[] = [];
    for (const payload of payloads) messages.push(await say(payload));
    await place.store(subject, random.subarray(0, 999));
    expect(await start(plain)).toMatchObject({ path: to.path, count: 5, lostCount: 0 });
    const lines = linesOf(to.path);
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const held = [...messages, random.subarray(0, 999)];
    for (const [at, message] of held.entries())
      expect(Buffer.compare(fromBase64(lines[at]?.message_base64), message)).toBe(0);
    for (const [at, payload] of payloads.entries())
      expect(Buffer.compare(fromBase64(lines[at]?.payload_base64), payload)).toBe(0);
    await start({ ...plain, withPayload: false });
    expect(linesOf(to.path).some((line) => 'payload_base64' in line)).toBe(false);
    await start({ ...plain, format: 'raw' });
    const frames = framesOf(to.path);
    expect(frames.map(([head]) => head['seq'])).toEqual([1, 2, 3, 4, 5]);
    for (const [at, payload] of payloads.entries()) expect(Buffer.compare(frames[at]?.[1] ?? random, payload)).toBe(0);
    expect(readdirSync(folder)).toEqual(['out']);
  });
});

it('V6 a table holds no formula, no control character and no broken cell', async () => {
  const { start, to } = await setUp();
  for (const text of [
    '=HYPERLINK("http://x","y")',
    '  +1',
    '-2+3',
    '@SUM(A1)',
    'a "quoted", cell\r\nand a line',
    '|x',
    'fine',
  ])
    await place.store(subject, utf8(text));
  await start({ ...plain, format: 'csv' });
  const text = readFileSync(to.path, 'utf8');
  const rows = text.trimEnd().split('\r\n');
  expect([text.startsWith('\ufeffstream,seq,time'), rows.length]).toEqual([true, 8]);
  expect(rows[1]).toContain(`,"'=HYPERLINK(""http://x"",""y"")"`);
  expect(rows[2]).toContain(`,"'  +1"`);
  expect(rows[3]).toMatch(/,"'-2\+3"$/);
  expect(rows[4]).toMatch(/,"'@SUM\(A1\)"$/);
  expect(rows[6]).toMatch(/,"'\|x"$/);
  expect(rows[5]).toMatch(/"a ""quoted"", cell/);
  expect(rows[7]).toMatch(/,"fine"$/);
});

it('V6 a filter and a range mean what they mean in the table, in a stream and in what was heard', async () => {
  const { start, to, intake, asked, states } = await setUp();
  for (let at = 1; at <= 600; at++) await place.store(subject, utf8(`n${at} ${at % 100 === 0 ? 'needle' : 'hay'}`));
  const seqs = async (more: Partial<ExportInput>): Promise<readonly number[]> => {
    await start({ ...plain, ...more });
    return linesOf(to.path).map(({ seq }) => seq);
  };
  expect(await seqs({ filter: 'needle' })).toEqual([100, 200, 300, 400, 500, 600]);
  expect(await seqs({ filter: 'needle', from: { kind: 'seq', seq: 200 }, to: { kind: 'seq', seq: 400 } })).toEqual([
    200, 300, 400,
  ]);
  expect((await seqs({ from: { kind: 'seq', seq: 599 } })).length).toBe(2);
  expect(await seqs({ from: { kind: 'time', ms: place.clock.now() + 1 } })).toEqual([]);
  expect(states.some(({ running }) => running[0]?.totalCount === 600)).toBe(true);
  for (let at = 1; at <= 5; at++) intake.take({ subject: at % 2 === 0 ? 'orders.new' : 'other', data: utf8(`m${at}`) });
  expect(await seqs({ stream: null, pattern: 'orders.>' })).toEqual([2, 4]);
  expect(await seqs({ stream: null, filter: 'm3' })).toEqual([3]);
  expect(asked.at(0)).toMatch(/^VAK_RECEIPTS_acme-2026-01-\d\d-\d{6}\.ndjson$/);
  await expect(start({ ...plain, filter: 'trust:maybe' })).rejects.toThrow('character 1: trust is one of');
});

it('V6 cancelled, locked or without a place to write, nothing is left, and what lay there stays', async () => {
  const { service, start, say, hooks, to } = await setUp();
  await say(payloads[0] as Uint8Array);
  for (let at = 0; at < 600; at++) await place.store(subject, utf8(`n${at}`));
  writeFileSync(to.path, 'before');
  hooks.onChange = () => service.cancel(service.state().running[0]?.exportId ?? '');
  await expect(start(plain)).rejects.toMatchObject({ code: 'aborted' });
  delete hooks.onChange;
  const gone = new AbortController();
  gone.abort();
  await expect(start(plain, gone.signal)).rejects.toMatchObject({ code: 'aborted' });
  place.workspace.secrets = undefined;
  await expect(start(plain)).rejects.toMatchObject({ code: 'locked' });
  expect([readdirSync(folder), toText(readFileSync(to.path)), service.state().running]).toEqual([
    ['out'],
    'before',
    [],
  ]);
  to.path = join(folder, 'missing', 'out');
  await expect(start({ ...plain, withPayload: false })).rejects.toThrow('a part of the path is not there');
  to.path = join(folder, 'out', 'below');
  await expect(start({ ...plain, withPayload: false })).rejects.toMatchObject({ code: 'forbidden' });
});
