import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createScratchFolder, signerOf } from '../../../tests/support/identity-fixture.ts';
import { type LetterPlace, openLetterPlace } from '../../../tests/support/letter-place.ts';
import { closesIt } from '../../../tests/support/scripted-prompt.ts';
import { failWithAll, hear, secrets } from '../../../tests/support/told-failure.ts';
import { toText } from '../../shared/base/bytes.ts';
import { bundleBounds } from './bundle-format.ts';
import { lookThroughBundle } from './opened-bundle.ts';

let place: LetterPlace;
let scratch: ReturnType<typeof createScratchFolder>;
const context = { signal: new AbortController().signal };
const path = (): string => join(scratch.path, 'one.vakbundle');

beforeEach(async () => {
  place = await openLetterPlace();
  scratch = createScratchFolder();
});
afterEach(async () => {
  place.openings.dispose();
  await place.close();
  scratch.dispose();
});

const known = (count: number) =>
  place.until(() => place.letters.letters()?.book.size() === count && place.state().readCount === count);

/** Exports all letters that there are. */
async function exportAll(): Promise<void> {
  const { planId } = await place.calls.plan({ selection: { filter: '' }, action: 'export' }, context);
  place.prompt.answer(path());
  await place.during(place.bundles.calls.exportBundle({ planId, isRedacted: true }, context));
}

const open = (file = path()) => {
  place.prompt.answer(file);
  return place.during(place.openings.calls.open({}, context));
};
const letter = async (bundleId: string, seq: number) =>
  await place.during(place.openings.calls.letter({ bundleId, seq }, context));

/** A bundle of one letter that says all; its lines. */
async function exportOne() {
  const { task, first } = await failWithAll(place);
  await place.begin();
  await known(2);
  const { traceId } = await place.during(place.calls.letter({ seq: task.seq }, context));
  hear(place, traceId ?? '');
  const live = await place.during(place.calls.around({ seq: task.seq }, context));
  await exportAll();
  return { task, first, live, lines: readFileSync(path(), 'utf8').trimEnd().split('\n') };
}

test('D14 a bundle of others is opened: who signed, what is in it, its letters with output and figures as they were shown', async () => {
  const { task, first, live } = await exportOne();
  const report = await open();
  expect(report).toMatchObject({
    ...{ name: 'one.vakbundle', verdict: 'sound', badLineCount: 0, faults: [], errors: [], letterCount: 2 },
    ...{ unreadableCount: 0, signed: { kind: 'valid', isPinned: false, why: null } },
    made: { workspace: 'acme', by: 'olga' },
    about: { environment: 'here', scope: 'all dead letters', reason: null, isRedacted: true },
    redacted: expect.arrayContaining([{ kind: 'named', count: 3 }]),
    envelopes: { count: 6, grantedCount: 6, unknownCount: 0 },
  });
  expect(report.parts).toEqual(expect.arrayContaining([{ kind: 'envelope of ancestor', count: 2 }]));
  const { bundleId } = report;
  expect(place.openings.state()).toEqual({ opening: null, bundleId });
  const page = async (filter: string) =>
    await place.openings.calls.page({ bundleId, filter, fromIndex: 0, limit: 10 }, context);
  const seqs = async (filter: string) => (await page(filter)).rows.map(({ seq }) => seq);
  const { rows } = await page('');
  expect(rows.map(({ seq }) => seq)).toEqual([task.seq, first.seq]);
  const [newest, oldest] = rows;
  expect(await seqs(`cause:${newest?.fingerprint}`)).toEqual([task.seq]);
  expect(await seqs(`-cause:${newest?.fingerprint} queue:${oldest?.queue}`)).toEqual([first.seq]);
  expect(await seqs('before:1970-01-02')).toEqual([]);
  expect(await page('size>3')).toMatchObject({ rows: [], matchingCount: 0, allCount: 2, faults: [{ from: 0 }] });
  const opened = await letter(bundleId, task.seq);
  expect(opened).toMatchObject({ isIntact: true, letter: { reasonText: 'login with [redacted: cloud-key] failed' } });
  expect(toText(opened.task?.bytes ?? new Uint8Array())).toBe('{"command":["false"]}');
  expect(opened.envelopes.map(({ of, signature }) => [of, signature])).toEqual([
    ...(['letter', 'task', 'receipt', 'ancestor', 'ancestor'] as const).map((of) => [of, 'valid']),
  ]);
  // The same as the window shows of what was heard, but for what was taken out.
  const shown = JSON.stringify(live).replace(secrets[2], '[redacted: named]');
  expect(JSON.parse(shown)).toEqual(opened.around);
  expect(live).toMatchObject({
    ...{ session: 'wanda-live-e', sealedCount: 0, states: [{ state: 'failed' }] },
    outputs: [{ stream: 'stderr', text: `export API_TOKEN=${secrets[2]}\nfailed`, isCut: false }],
    samples: [{ rssBytes: 3_000, cpuPercent: 4.5 }],
  });
});

test('D14 without the root the signer is unknown, unless its card is pinned here; that of another root of the name, too', async () => {
  await exportOne();
  place.known.root = undefined;
  const report = await open();
  expect(report).toMatchObject({ verdict: 'unknown', signed: { kind: 'sound', isPinned: false } });
  place.pinned.add(`olga ${report.signed.signer}`);
  expect(await open()).toMatchObject({ verdict: 'unknown', signed: { kind: 'sound', isPinned: true } });
  expect(report.signed.isOtherRoot).toBe(false);
  // A workspace of the same name with another root is another one: nothing is wrong with its bundle.
  place.known.root = signerOf(7).nkey;
  place.pinned.clear();
  expect(await open()).toMatchObject({ verdict: 'unknown', signed: { kind: 'sound', isOtherRoot: true } });
  const named = readFileSync(path(), 'utf8').replace(/"root":"U[A-Z2-7]{55}"/, `"root":"${signerOf(7).nkey}"`);
  writeFileSync(path(), named);
  expect(await open()).toMatchObject({ verdict: 'changed', signed: { kind: 'invalid', isPinned: false } });
});

test('D14 the first line that was changed is named with its reason, and its letter says so', async () => {
  const { task, lines } = await exportOne();
  const at = lines.findIndex((one) => one.includes('"kind":"letter"'));
  writeFileSync(path(), `${lines.with(at, lines[at]?.replaceAll('login', 'l\u202egin') ?? '').join('\n')}\n`);
  const report = await open();
  expect(report).toMatchObject({ verdict: 'changed', badLineCount: 1, faults: [{ line: at + 1, kind: 'letter' }] });
  expect(report.faults[0]?.why).toMatch(/not the line that was signed/);
  const opened = await letter(report.bundleId, task.seq);
  expect(opened.isIntact).toBe(false);
  expect(opened.letter.reasonText).toContain('l‹U+202E›gin');
});

test('D14 what is none, too large, no file or cut off is refused within bounds, and what was open stays', async () => {
  const { lines } = await exportOne();
  const { bundleId } = await open();
  const file = (name: string, bytes: string | Uint8Array): string => {
    writeFileSync(join(scratch.path, name), bytes);
    return join(scratch.path, name);
  };
  const whole = lines.join('\n');
  for (const bytes of [gzipSync(whole), '[[[[\n'.repeat(9), '', Uint8Array.of(0xff, 0xfe), 'x'.repeat(3_000_000)]) {
    const none = await failure(open(file('none', bytes)));
    expect(none).toMatchObject({ code: 'invalid-input', message: expect.stringContaining('no incident bundle') });
  }
  truncateSync(file('huge', ''), bundleBounds.fileBytes + 1);
  expect(await failure(open(join(scratch.path, 'huge')))).toMatchObject({
    ...{ code: 'limit-exceeded', message: expect.stringContaining('513 MiB, a bundle has at most 512 MiB') },
  });
  mkdirSync(join(scratch.path, 'folder'));
  expect(await failure(open(join(scratch.path, 'folder')))).toMatchObject({ code: 'invalid-input' });
  expect(await failure(open(join(scratch.path, 'gone')))).toMatchObject({ code: 'forbidden' });
  expect(await failure(open(file('lines', '\n'.repeat(200_010))))).toMatchObject({ code: 'limit-exceeded' });
  place.prompt.answer(closesIt);
  expect(await failure(Promise.resolve(place.openings.calls.open({}, context)))).toMatchObject({ code: 'aborted' });
  expect(place.openings.state()).toEqual({ opening: null, bundleId });
  const cut = await open(file('cut\u202e.vakbundle', whole.slice(0, whole.length / 2)));
  // It has a fault, and reads like none that was forged: the line that it ends at is said, once.
  expect(cut).toMatchObject({ verdict: 'changed', cutAtLine: cut.lineCount, name: 'cut‹U+202E›.vakbundle' });
  expect(cut.errors).toEqual([expect.stringContaining(`ends at line ${cut.lineCount}: it was cut off`)]);
  expect([cut.signed.kind, cut.faults.length]).toEqual(['sound', 1]);
  // One is open at a time.
  const gone = await failure(letter(bundleId, 1));
  expect(gone).toMatchObject({ code: 'conflict', message: expect.stringContaining('not open any more') });
});

test('D14 a letter that is no letter is counted, one that comes twice stands once, and a page is of this bundle', async () => {
  const { lines } = await exportOne();
  const line = lines.find((one) => one.includes('"kind":"letter"')) ?? '';
  const odd = ['{"kind":"letter","seq":7}', '{"kind":"letter","seq":-1,"report":{}}', line, line];
  writeFileSync(path(), `${[...lines.slice(0, 2), ...odd].join('\n')}\n`);
  const report = await open();
  expect(report).toMatchObject({ verdict: 'changed', letterCount: 1, unreadableCount: 3 });
});

test('D14 a file that is changed while it is open is not believed, and the lock closes it', async () => {
  const { task, lines } = await exportOne();
  const { bundleId } = await open();
  writeFileSync(path(), lines.join('\n').replaceAll('login', 'logon'));
  expect(await failure(letter(bundleId, task.seq))).toMatchObject({ code: 'conflict' });
  place.openings.lock();
  expect(place.openings.state().bundleId).toBe(null);
  expect(await failure(letter(bundleId, task.seq))).toMatchObject({ code: 'conflict' });
  place.app.isOpen = false;
  expect(await failure(open())).toMatchObject({ code: 'locked' });
  expect(place.openings.state().bundleId).toBe(null);
});

test('D14 looking through one says how far it is, and stops when it is told to', async () => {
  const { lines } = await exportOne();
  appendFileSync(path(), `${lines[1]}\n`.repeat(50));
  const stop = new AbortController();
  const done: number[] = [];
  const bytes = readFileSync(path());
  const source = {
    ...{ name: 'one', sizeBytes: bytes.length, close: async () => {}, line: async () => bytes },
    async *stream() {
      for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
    },
  };
  const looking = lookThroughBundle(source, {
    ...{ rootOf: () => undefined, isPinned: () => false, rest: async () => {}, signal: stop.signal },
    onProgress(doneBytes) {
      done.push(doneBytes);
      if (doneBytes > bytes.length) stop.abort();
    },
  });
  expect(await failure(looking)).toMatchObject({ code: 'aborted' });
  expect(done[0]).toBe(1_000);
  expect(done.at(-1)).toBeLessThan(bytes.length + 2_000);
});
