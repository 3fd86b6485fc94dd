import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { settingRows } from '../../shared/settings/setting-keys.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import type { SettingsChange } from './bus-settings.ts';
import { openSettingsFile, type SettingsFile } from './settings-file.ts';

const seed = 'SUAM5GQ2LTORUW4ZZANFZSA3TPOQQGCIDTMVSWIIDCOV2CA2LTEB2GK43U';
/** Fuzzed files (quality.md §3). */
const fuzzCount = process.env['VAK_ENDURANCE'] === '1' ? 100_000 : 10_000;
let folder: string;
let file: string;
let logged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-settings-'));
  file = join(folder, 'settings.json');
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The system's clock, but for waits: they take no time. */
function hastyClock() {
  const clock = createSystemClock();
  return {
    ...clock,
    setTimer(_delayMs: number, run: () => void) {
      let isDue = true;
      clock.defer(() => {
        if (isDue) run();
      });
      return toDisposable(() => {
        isDue = false;
      });
    },
  };
}

function open(
  options: { readonly clock?: ReturnType<typeof createSystemClock>; readonly watchEveryMs?: number } = {},
): Promise<SettingsFile> {
  const logger = createLineLogger(logged);
  const { clock = hastyClock(), watchEveryMs = 0 } = options;
  return openSettingsFile({ file, clock, randomness: createSystemRandomness(), logger, watchEveryMs });
}

const write = (value: unknown): void => writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
const filesNow = (): string[] => readdirSync(folder).sort();

test('settings: without a file the defaults apply, and reading makes none', async () => {
  const settings = await open();
  expect(settings.get('look.theme')).toEqual({ value: 'system', isSet: false });
  expect(settings.problems()).toEqual([]);
  expect(filesNow()).toEqual([]);
});

test('settings: what is set is there for the next who opens, in a file of ours alone', async () => {
  const settings = await open();
  await settings.set('look.theme', 'dark');
  await settings.set('contexts.prod.url', 'tls://nats.example');
  await settings.set('currentContext', 'prod');
  await settings.set('idleLockMinutes', 0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(filesNow()).toEqual(['settings.json']);
  const again = await open();
  expect(again.problems()).toEqual([]);
  expect(again.settings()).toEqual(settings.settings());
  expect(again.get('look.theme')).toEqual({ value: 'dark', isSet: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    look: { theme: 'dark' },
    contexts: { prod: { url: 'tls://nats.example' } },
    currentContext: 'prod',
    idleLockMinutes: 0,
  });
});

test('settings: a file without a folder makes it for its owner alone', async () => {
  file = join(folder, 'a', 'b', 'settings.json');
  await (await open()).set('look.theme', 'light');
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
});

test('settings: unknown keys keep their characters', async () => {
  write(
    '\ufeff{"future": {"n": 123456789012345678901234567890, "s": "\\u00e9"},\n  "look": {"theme": "dark", "font":  1.50}}\n',
  );
  const settings = await open();
  await settings.set('look.theme', 'light');
  await settings.set('look.timeZone', 'utc');
  await settings.delete('look.theme');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('"future": {"n": 123456789012345678901234567890, "s": "\\u00e9"}');
  expect(text).toContain('"font": 1.50');
  expect(JSON.parse(text)).toMatchObject({ look: { font: 1.5, timeZone: 'utc' } });
});

test('settings: bus settings follow natsUrl, then the context, and say when they change', async () => {
  const settings = await open();
  const changes: SettingsChange[] = [];
  settings.onChange((change) => changes.push(change));
  expect(settings.busSettings()).toMatchObject({ kind: 'embedded', natsUrl: null });
  await settings.set('natsUrl', 'nats://127.0.0.1:4222');
  expect(settings.busSettings()).toMatchObject({ kind: 'remote', natsUrl: 'nats://127.0.0.1:4222' });
  await settings.set('look.theme', 'dark');
  await settings.delete('natsUrl');
  expect(settings.busSettings()).toMatchObject({ kind: 'embedded', natsUrl: null });
  await settings.set('contexts.prod.url', 'tls://nats.example');
  expect(settings.busSettings('prod')).toMatchObject({
    context: 'prod',
    kind: 'remote',
    natsUrl: 'tls://nats.example',
  });
  expect(() => settings.busSettings('none')).toThrow(/context: there is none/);
  await settings.set('currentContext', 'prod');
  await settings.set('currentContext', 'prod');
  expect(changes.map(({ keys, isBus }) => [keys.filter((key) => !key.startsWith('contexts.')), isBus])).toEqual([
    [['natsUrl'], true],
    [['look.theme'], false],
    [['natsUrl'], true],
    [[], false],
    [['currentContext'], true],
  ]);
});

test('settings: a listener that throws is logged and stops nobody', async () => {
  const settings = await open();
  let heard = 0;
  settings.onChange(() => {
    throw new Error('bug');
  });
  const second = settings.onChange(() => {
    heard++;
  });
  await settings.set('look.theme', 'dark');
  second.dispose();
  await settings.set('look.theme', 'light');
  expect(heard).toBe(1);
  expect(logged.some((line) => line.includes('settings.listener'))).toBe(true);
});

test.each([
  ['look.theme', 'pink-unicorn', 'invalid-input', /look\.theme: found string of 12 characters, allowed: system/],
  ['policy.acceptPlain', 'true', 'invalid-input', /allowed: true, false/],
  ['currentContext', 'nowhere', 'invalid-input', /currentContext: .* that no context has/],
  ['contexts.embedded.kind', 'remote', 'invalid-input', /contexts\.embedded\.kind/],
  ['no.such', 'x', 'not-found', /no\.such: there is no such setting/],
  ['__proto__', 'x', 'not-found', /no such setting/],
  ['contexts.a b.url', 'nats://h', 'not-found', /no such setting/],
  ['workspaceSecretEnv', seed, 'secret-misplaced', /workspaceSecretEnv: holds an nkey seed/],
  ['workspaceSecretEnv', 'f'.repeat(64), 'invalid-input', /a variable's name, not its value/],
  ['natsUrl', 'nats://pink:unicorn@host', 'secret-misplaced', /natsUrl: holds a password/],
  ['VAK_BUS_NATS_NKEY_SEED', 'unicorn', 'secret-misplaced', /VAK_BUS_NATS_NKEY_SEED: is a secret/],
  [seed, 'unicorn', 'not-found', /a key of 58 characters/],
])('I3 setting %s to what does not fit throws, shows no value and writes nothing', async (key, value, code, text) => {
  const found = await failure((await open()).set(key, value));
  expect(found.code).toBe(code);
  expect(found.message).toMatch(text);
  for (const hidden of ['unicorn', seed, 'ffff']) expect(found.message).not.toContain(hidden);
  expect(filesNow()).toEqual([]);
});

test('I3 while a secret stands in the file nothing is written but its removal', async () => {
  write({ look: { theme: 'dark' }, bus: { 'nats.seed': seed } });
  const before = readFileSync(file, 'utf8');
  const settings = await open();
  expect(settings.problems()).toMatchObject([{ code: 'secret-misplaced', key: 'bus.nats.seed' }]);
  expect(settings.settings().look.theme).toBe('dark');
  expect(await failure(settings.set('look.theme', 'light'))).toMatchObject({ code: 'secret-misplaced' });
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(await settings.delete('bus.nats.seed')).toBe(true);
  expect(await settings.delete('bus.nats.seed')).toBe(false);
  await settings.set('look.theme', 'light');
  expect(settings.problems()).toEqual([]);
  expect(readFileSync(file, 'utf8')).not.toContain(seed);
  expect(logged.join('\n')).not.toContain(seed);
});

test('settings: a section that is no object is not replaced by a setting', async () => {
  write({ look: 'dark' });
  const settings = await open();
  expect((await failure(settings.set('look.theme', 'dark'))).message).toBe(
    'look: is no object in the file; delete look first',
  );
  expect(await settings.delete('look')).toBe(true);
  await settings.set('look.theme', 'dark');
});

test.each([
  ['no JSON', '{"look": {"theme": "dark"}'],
  ['empty', ''],
  ['an array', '[1]'],
  ['a comment', '// hello\n{}'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['too large', `{"a": "${'x'.repeat(1024 * 1024)}"}`],
])('settings: a file that is %s is set aside whole and said; defaults apply and can be changed', async (_, bytes) => {
  writeFileSync(file, bytes);
  const settings = await open();
  expect(settings.settings().look.theme).toBe('system');
  const [problem] = settings.problems();
  expect(problem).toMatchObject({ code: 'corrupt', key: '' });
  const aside = filesNow();
  expect(aside).toHaveLength(1);
  expect(aside[0]).toMatch(/^settings\.json\.damaged-\d{4}-\d\d-\d\dT[\d-]+Z$/);
  expect(problem?.message).toContain(aside[0]);
  expect(readFileSync(join(folder, aside[0] as string)).equals(Buffer.from(bytes))).toBe(true);
  await settings.set('look.theme', 'dark');
  expect(settings.problems()).toEqual([]);
  expect(filesNow()).toEqual(['settings.json', aside[0]]);
});

test('settings: of a file that is no JSON the line is said from which on it cannot be read, and nothing of the text', async () => {
  writeFileSync(file, '{\n  "look": {\n    canary-heron\n  }\n}');
  const [problem] = (await open()).problems();
  expect(problem?.message).toContain('cannot be read from line 3 on');
  expect(problem?.message).not.toContain('heron');
});

test('settings: a second damaged file of the same moment gets a name of its own', async () => {
  const clock = { ...hastyClock(), now: () => Date.UTC(2026, 0, 2) };
  for (const text of ['one', 'two', 'three']) {
    write(text);
    await open({ clock });
  }
  expect(
    filesNow()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .sort(),
  ).toEqual(['one', 'three', 'two']);
});

test('settings: a file that is still being written is not taken for damaged', async () => {
  write('{"look": {"th');
  const clock = createSystemClock();
  const pen = {
    ...clock,
    setTimer: (_delayMs: number, run: () => void) => {
      write({ look: { theme: 'dark' } });
      return clock.setTimer(0, run);
    },
  };
  const settings = await open({ clock: pen });
  expect(settings.settings().look.theme).toBe('dark');
  expect(filesNow()).toEqual(['settings.json']);
});

test('settings: a file that changes while it is damaged is left to its writer until it is whole', async () => {
  write('{"look"');
  const clock = createSystemClock();
  let strokes = ['{"look": {"theme"'];
  const pen = {
    ...clock,
    setTimer: (_delayMs: number, run: () => void) => {
      for (const stroke of strokes) write(stroke);
      strokes = [];
      return clock.setTimer(0, run);
    },
  };
  const settings = await open({ clock: pen });
  expect(settings.problems()).toMatchObject([{ code: 'corrupt' }]);
  expect(filesNow()).toEqual(['settings.json']);
  strokes = [JSON.stringify({ look: { theme: 'dark' } })];
  await settings.set('look.timeZone', 'utc');
  expect(settings.settings().look).toMatchObject({ theme: 'dark', timeZone: 'utc' });
  expect([settings.problems(), filesNow()]).toEqual([[], ['settings.json']]);
});

test('settings: a folder, link or pipe in the file’s place is left alone, said, and not written over', async () => {
  const place: readonly (() => void)[] = [
    () => mkdirSync(file),
    () => {
      writeFileSync(join(folder, 'else'), '{}');
      symlinkSync(join(folder, 'else'), file);
    },
    () => void execFileSync('mkfifo', [file]),
  ];
  for (const put of place) {
    put();
    const settings = await open();
    expect(settings.problems()).toMatchObject([
      { code: 'forbidden', message: expect.stringMatching(/it is|no ordinary/) },
    ]);
    expect(await failure(settings.set('look.theme', 'dark'))).toMatchObject({ code: 'forbidden' });
    expect(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false).toBe(existsSync(join(folder, 'else')));
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
});

test('settings: what another writes is seen by a look, and by the watch', async () => {
  const clock = createFakeClock();
  const settings = await open({ clock, watchEveryMs: 1000 });
  const changes: SettingsChange[] = [];
  settings.onChange((change) => changes.push(change));
  write({ natsUrl: 'nats://a' });
  await settings.refresh();
  expect(changes).toEqual([{ keys: ['natsUrl'], isBus: true }]);
  await settings.refresh();
  rmSync(file);
  clock.advance(1000);
  await expect.poll(() => changes).toHaveLength(2);
  expect(settings.busSettings().kind).toBe('embedded');
  settings.dispose();
  expect(clock.timerCount).toBe(0);
});

test('settings: two that write at once lose nothing of each other', async () => {
  const [first, second] = [await open(), await open()];
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
  await Promise.all(names.map((name, index) => (index % 2 ? first : second).set(`contexts.${name}.kind`, 'managed')));
  const seen = (await open()).settings().contexts.map(({ name }) => name);
  expect(seen.sort()).toEqual(['embedded', ...names].sort());
  expect(filesNow()).toEqual(['settings.json']);
});

test('settings: a folder that may not be written gives a typed error', async () => {
  if (process.getuid?.() === 0) {
    // Root may write everywhere but into a file's place.
    writeFileSync(join(folder, 'a'), '');
    file = join(folder, 'a', 'settings.json');
  } else chmodSync(folder, 0o500);
  const settings = await open();
  expect(await failure(settings.set('look.theme', 'dark'))).toMatchObject({ code: 'forbidden' });
  chmodSync(folder, 0o700);
});

test(
  `settings: ${fuzzCount} random and mutated files: typed problems only, nothing overwritten`,
  async () => {
    const whole = JSON.stringify({
      contexts: { prod: { kind: 'remote', url: 'tls://h:1', colour: 'red', readOnly: true } },
      currentContext: 'prod',
      policy: { acceptPlain: true, acceptUnsigned: false },
      look: { theme: 'dark', timeZone: 'utc' },
      natsUrl: 'nats://h',
      workspaceSecretEnv: 'TEAM',
      idleLockMinutes: 5,
      unknown: [null, { a: -0.5e10 }],
    });
    const mutated = fc
      .array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), cut: fc.nat(8) }), {
        minLength: 1,
        maxLength: 6,
      })
      .map((edits) => {
        let bytes = Buffer.from(whole);
        for (const { at, byte, cut } of edits) {
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + cut)]);
        }
        return bytes;
      });
    const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const json = fc.json().map((text) => Buffer.from(text));
    const keyed = fc
      .dictionary(fc.constantFrom(...settingRows.map(({ key }) => key.split('.')[0] as string)), fc.jsonValue())
      .map((value) => Buffer.from(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(fc.oneof({ arbitrary: mutated, weight: 3 }, random, json, keyed), async (bytes) => {
        for (const name of filesNow()) unlinkSync(join(folder, name));
        writeFileSync(file, bytes);
        const settings: SettingsFile = await open();
        const names = filesNow();
        expect(names).toHaveLength(1);
        expect(readFileSync(join(folder, names[0] as string)).equals(bytes)).toBe(true);
        expect(names[0] === 'settings.json').toBe(settings.problems().every(({ code }) => code !== 'corrupt'));
        expect(['system', 'dark', 'light']).toContain(settings.settings().look.theme);
      }),
      { numRuns: fuzzCount },
    );
  },
  fuzzCount * 20,
);
