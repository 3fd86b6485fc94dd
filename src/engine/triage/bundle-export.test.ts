import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createScratchFolder, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { type LetterPlace, openLetterPlace } from '../../../tests/support/letter-place.ts';
import { closesIt } from '../../../tests/support/scripted-prompt.ts';
import { failWithAll, hear, secrets } from '../../../tests/support/told-failure.ts';
import { toBase64, utf8 } from '../../shared/base/bytes.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { type BundleLineVerdict, type BundleSummary, checkBundle } from './bundle-check.ts';

let place: LetterPlace;
let scratch: ReturnType<typeof createScratchFolder>;
const context = { signal: new AbortController().signal };
const path = (): string => join(scratch.path, 'one.vakbundle');

beforeEach(async () => {
  place = await openLetterPlace();
  scratch = createScratchFolder();
});
afterEach(async () => {
  await place.close();
  scratch.dispose();
});

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

interface Looked extends BundleSummary {
  readonly lines: readonly BundleLineVerdict[];
}

async function look(bytes: Uint8Array, rootPublic: string | undefined): Promise<Looked> {
  const lines: BundleLineVerdict[] = [];
  const summary = await checkBundle({
    ...{ open: () => inPieces(bytes), rootOf: () => rootPublic, signal: context.signal },
    onLine: (line) => void lines.push(line),
  });
  return { ...summary, lines };
}

interface Exporting {
  readonly isRedacted?: boolean;
  readonly reason?: string;
}

async function exportAll({ isRedacted = true, reason = 'for the vendor' }: Exporting = {}) {
  const { planId } = await place.calls.plan({ selection: { filter: '' }, action: 'export' }, context);
  place.prompt.answer(path());
  const done = place.bundles.calls.exportBundle({ planId, isRedacted, reason }, context);
  return await place.during(done);
}

const known = (count: number) =>
  place.until(() => place.letters.letters()?.book.size() === count && place.state().readCount === count);

async function actions() {
  const stream = place.fabric.durable.stream('VAK_AUDIT_acme');
  const { messages } = await place.during(stream.read({ limit: 100 }));
  return messages.flatMap((message) => {
    const verdict = place.workspace.judge(message);
    return verdict.kind === 'accepted' ? [decodePayload('vak.audit.action', verdict.payload)] : [];
  });
}

const linesOf = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one));

test('D11 a bundle holds all that is known of its letters, no secret of it, and is on record', async () => {
  const { first, task } = await failWithAll(place);
  await place.begin();
  await known(2);
  const { traceId } = await place.during(place.calls.letter({ seq: task.seq }, context));
  hear(place, traceId ?? '');
  const { lineCount } = await exportAll();
  const bytes = readFileSync(path());
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readdirSync(scratch.path)).toEqual(['one.vakbundle']);
  for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
  const lines = linesOf(bytes);
  expect(lines.length).toBe(lineCount);
  const of = (kind: string) => lines.filter((one) => one.kind === kind);
  expect(of('about')).toMatchObject([
    { environment: 'here', reason: 'for the vendor', letterCount: 2, isRedacted: true, root: root.nkey },
  ]);
  expect(of('letter').map(({ seq }) => seq)).toEqual([task.seq, first.seq]);
  expect(of('letter')[0].report).toMatchObject({
    reasonText: 'login with [redacted: cloud-key] failed',
    session: 'wanda-live-e',
  });
  expect(of('task')).toMatchObject([
    { letter: task.seq, wasSealed: true, text: '{"command":["false"]}' },
    { letter: first.seq, text: '{"command":["mysql","--password","[redacted: named]"]}' },
  ]);
  expect(of('receipt')).toMatchObject([{ letter: task.seq, receipt: { reason: 'card [redacted: card]' } }]);
  expect(of('terminal')).toMatchObject([
    { stream: 'stderr', text: 'export API_TOKEN=[redacted: named]\nfailed\n', letter: task.seq },
  ]);
  expect(of('telemetry')).toMatchObject([{ samples: [{ rssBytes: 3_000, cpuPercent: 4.5 }] }]);
  expect(of('status')).toMatchObject([{ states: [{ state: 'failed' }] }]);
  expect(of('audit').map(({ action }) => action.outcome)).toEqual(['begun']);
  expect(of('envelope').map(({ of: what, letter }) => [what, letter])).toEqual([
    ['letter', task.seq],
    ['task', task.seq],
    ['receipt', task.seq],
    ['ancestor', task.seq],
    ['ancestor', task.seq],
    ['audit', null],
  ]);
  expect(new Set(of('grant').map(({ record }) => record.peer))).toEqual(new Set(['wanda', 'carla', 'olga']));
  expect(of('end')).toMatchObject([{ redacted: { named: 3, 'cloud-key': 2, card: 2 }, leftOut: [] }]);
  const base = { action: 'dlq.export', target: 'here', scope: 'all', reason: 'for the vendor' };
  const places = [[first.seq, task.seq]];
  expect(await actions()).toMatchObject(
    [
      { outcome: 'begun', count: 2, places },
      { outcome: 'exported', count: 2, places },
      { outcome: 'done', count: 2 },
    ].map((one) => ({ ...one, action: base.action, target: base.target, reason: base.reason })),
  );
});

test('D11 E14 whoever has the root verifies it elsewhere: signatures, hashes, and the places in the chains', async () => {
  const { wanda, head } = await failWithAll(place);
  await place.append(wanda, head, 'vak.audit.acme.wanda.checkpoint');
  await place.begin();
  await known(2);
  await exportAll();
  const bytes = readFileSync(path());
  const checked = await look(bytes, root.nkey);
  expect(checked).toMatchObject({
    isOk: true,
    isSound: true,
    badLineCount: 0,
    errors: [],
    signature: { kind: 'valid' },
  });
  expect([checked.envelopeCount, checked.validCount, checked.soundCount]).toEqual([6, 6, 0]);
  // Of wanda's chain one place was never sent: what stands before it cannot be proven.
  expect(checked.lines.flatMap(({ proof }) => proof ?? [])).toMatchObject([{ from: 3, to: 3, signature: 'valid' }]);
  expect(checked.lines.flatMap(({ envelope }) => (envelope?.isProven === true ? [envelope.type] : []))).toContain(
    'vak.receipts.completed',
  );
  const elsewhere = await look(bytes, undefined);
  expect(elsewhere).toMatchObject({
    isOk: false,
    isSound: true,
    validCount: 0,
    soundCount: 6,
    signature: { kind: 'sound' },
  });
  const another = await look(bytes, signerOf(7).nkey);
  expect(another).toMatchObject({ isOk: false, isSound: false, signature: { kind: 'invalid' } });
});

test('D11 a byte that is another one is found, wherever it is, and its line named', async () => {
  await place.bury();
  await place.begin();
  await known(1);
  await exportAll();
  const bytes = readFileSync(path());
  const numberAt = (at: number): number => bytes.subarray(0, at).filter((one) => one === 0x0a).length + 1;
  const step = Math.max(1, Math.floor(bytes.length / 130));
  const places = [0, bytes.length - 1, bytes.indexOf(0x0a)];
  for (let at = 1; at < bytes.length; at += step) places.push(at);
  for (const at of places) {
    const other = Uint8Array.from(bytes);
    other[at] = (other[at] ?? 0) ^ (at % 2 === 0 ? 0x01 : 0x20);
    const checked = await look(other, root.nkey);
    expect([at, checked.isOk, checked.isSound]).toEqual([at, false, false]);
    const named = checked.lines.filter(({ isOk }) => !isOk).map(({ line }) => line);
    expect(named, `byte ${at}`).toContain(numberAt(at));
    // Whom a grant that was changed let sign is not known any more.
    const isGrant = linesOf(bytes)[numberAt(at) - 1]?.kind === 'grant';
    expect(named.length, `byte ${at}`).toBeLessThanOrEqual(isGrant ? 9 : 2);
  }
  const lines = Buffer.from(bytes).toString().split('\n');
  for (const changed of [lines.toSpliced(2, 1), lines.toSpliced(2, 0, lines[2] ?? ''), lines.toSpliced(-2, 1), []]) {
    expect((await look(utf8(changed.join('\n')), root.nkey)).isSound).toBe(false);
  }
}, 60_000);

test('D11 what is in no form of a bundle is refused within bounds', async () => {
  const hostile = [
    new Uint8Array(3 * 1024 * 1024).fill(0x61),
    utf8(`${'['.repeat(100_000)}\n`),
    utf8('{"kind":"manifest"}\n{"kind":"proof","source":"x","checkpoint":{},"leaves":[]}\n'),
    utf8(
      '{"kind":"envelope","of":"letter","letter":1,"id":"x","subject":"s","storedMs":0,"isWithheld":false,"envelope":"e30="}\n',
    ),
    Uint8Array.of(0xff, 0xfe, 0x0a),
  ];
  for (const bytes of hostile) {
    const checked = await look(bytes, root.nkey);
    expect(checked).toMatchObject({ isOk: false, isSound: false });
    expect(checked.badLineCount).toBeGreaterThan(0);
  }
  const endless = await failure(look(new Uint8Array(200_010).fill(0x0a), root.nkey));
  expect(endless).toMatchObject({ code: 'limit-exceeded' });
});

test('D11 what was not sealed goes without its payload, unless nothing is to be taken out', async () => {
  place.workspace.policy = { acceptPlain: true, acceptUnsigned: false };
  const plain = place.workspace.peer('paul', { roles: ['worker'], kind: 'd', isSealing: false });
  await place.bury({ by: plain, byName: 'paul', raw: utf8(`no envelope, token=${secrets[2]}`) });
  await place.begin();
  await known(1);
  await exportAll();
  const bytes = readFileSync(path());
  expect(bytes.includes(secrets[2])).toBe(false);
  expect(bytes.includes(toBase64(utf8(secrets[2])).slice(2, 16))).toBe(false);
  const checked = await look(bytes, root.nkey);
  expect(checked.isOk).toBe(true);
  expect(checked.lines.flatMap(({ envelope }) => envelope ?? [])[0]).toMatchObject({
    payload: 'withheld',
    signature: 'valid',
  });
  await exportAll({ isRedacted: false });
  expect((await actions()).at(-1)).toMatchObject({
    outcome: 'done',
    scope: expect.stringContaining('secrets left in'),
  });
  const whole = readFileSync(path());
  expect(linesOf(whole).find(({ kind }) => kind === 'task')).toMatchObject({
    data: toBase64(utf8(`no envelope, token=${secrets[2]}`)),
  });
  expect((await look(whole, root.nkey)).lines.flatMap(({ envelope }) => envelope ?? [])[0]).toMatchObject({
    payload: 'ok',
  });
});

test('D11 what is stopped, cannot be written or may not be put on record leaves no file, and the record says so', async () => {
  for (let count = 0; count < 3; count++) await place.bury();
  await place.begin();
  await known(3);
  const plan = await place.calls.plan({ selection: { filter: '' }, action: 'export' }, context);
  place.prompt.answer(path());
  // It rests between letters, and goes on only when the clock lets it.
  const running = place.bundles.calls.exportBundle({ planId: plan.planId, isRedacted: true }, context);
  await expect.poll(() => place.state().exports, { interval: 1 }).toMatchObject([{ doneCount: 0, count: 3 }]);
  expect(place.bundles.cancel(place.state().exports?.[0]?.operationId ?? '')).toBe(true);
  expect(await failure(place.during(running))).toMatchObject({ code: 'aborted' });
  expect((await actions()).map(({ outcome }) => outcome)).toEqual(['begun', 'stopped']);
  expect(readdirSync(scratch.path)).toEqual([]);
  expect(place.state().exports).toEqual([]);
  mkdirSync(path());
  expect((await failure(exportAll())).message).toContain(path());
  expect((await actions()).at(-1)).toMatchObject({ action: 'dlq.export', outcome: 'failed', count: 0 });
  expect(readdirSync(scratch.path)).toEqual(['one.vakbundle']);
  // Nor is a link, or a device, replaced by the file.
  rmSync(path(), { recursive: true });
  symlinkSync('/dev/null', path());
  expect(await failure(exportAll())).toMatchObject({ code: 'invalid-input', message: expect.stringContaining(path()) });
  expect([readdirSync(scratch.path), readlinkSync(path())]).toEqual([['one.vakbundle'], '/dev/null']);
  const { planId } = await place.calls.plan({ selection: { filter: '' }, action: 'export' }, context);
  const ask = () => place.during(place.bundles.calls.exportBundle({ planId, isRedacted: true }, context));
  place.prompt.answer(closesIt);
  expect(await failure(ask())).toMatchObject({ code: 'aborted' });
  place.app.readOnlyContext = 'prod';
  const asked = place.prompt.asked.length;
  expect(await failure(ask())).toMatchObject({ code: 'read-only', message: expect.stringContaining('prod') });
  expect(place.prompt.asked.length).toBe(asked);
});
