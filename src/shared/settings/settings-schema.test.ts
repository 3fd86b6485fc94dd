import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedRows, listOf, listText, settingRows } from './setting-keys.ts';
import { readSettings, settingAt, settingKeys } from './settings-schema.ts';

const seed = 'SUAM5GQ2LTORUW4ZZANFZSA3TPOQQGCIDTMVSWIIDCOV2CA2LTEB2GK43U';

test('settings: an empty object gives the defaults', () => {
  const { settings, problems } = readSettings({});
  expect(problems).toEqual([]);
  expect(settings).toEqual({
    contexts: [{ name: 'embedded', kind: 'embedded', natsUrl: null, colour: 'grey', readOnly: false }],
    currentContext: 'embedded',
    policy: { acceptPlain: false, acceptUnsigned: false },
    look: { theme: 'system', timeZone: 'utc', zoomPercent: 100 },
    natsUrl: null,
    workspaceSecretEnv: 'VAK_WORKSPACE_SECRET',
    idleLockMinutes: 15,
    alerts: { lagLimit: 1000, ageLimitSec: 600, noConsumerSec: 30 },
    notifications: { desktop: true, mutedKinds: null, mutedQueues: null, mutedUntil: null },
    rooms: { receipts: true, typing: true },
    filters: { messages: null, letters: null },
    keyAliases: null,
    retention: {
      ...{ workMiB: 1024, receiptsDays: 90, receiptsMiB: 1024, approvalsDays: 90, approvalsMiB: 1024 },
      ...{ deadLettersDays: 90, deadLettersMiB: 1024 },
    },
    memory: { bufferMessages: 65_536, bufferMiB: 64, terminalLines: 10_000, telemetryMinutes: 10 },
  });
});

test('settings: everything that can be set is read, and found under its flat key', () => {
  const { settings, problems } = readSettings({
    contexts: {
      embedded: { colour: 'green' },
      prod: { kind: 'remote', url: 'tls://nats.example:4222,tls://[::1]', colour: 'red', readOnly: true },
      local: { kind: 'managed' },
    },
    currentContext: 'prod',
    policy: { acceptPlain: true, acceptUnsigned: true },
    look: { theme: 'dark', timeZone: 'utc', zoomPercent: 100 },
    natsUrl: 'nats://127.0.0.1:4222',
    workspaceSecretEnv: 'TEAM_SECRET',
    idleLockMinutes: 0,
    alerts: { lagLimit: 0, ageLimitSec: 60, noConsumerSec: 86_400 },
    notifications: {
      desktop: false,
      mutedKinds: 'lag,approval',
      mutedQueues: 'render, builds',
      mutedUntil: '2026-11-30T14:00:00Z',
    },
    foreign: [1, { two: 'three' }],
  });
  expect(problems).toEqual([]);
  expect(settings.contexts.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'embedded embedded',
    'prod remote',
    'local managed',
  ]);
  expect(Object.fromEntries(settingKeys(settings).map((key) => [key, settingAt(settings, key)]))).toMatchObject({
    'look.theme': 'dark',
    'policy.acceptPlain': true,
    'contexts.embedded.colour': 'green',
    'contexts.prod.url': 'tls://nats.example:4222,tls://[::1]',
    'contexts.prod.readOnly': true,
    natsUrl: 'nats://127.0.0.1:4222',
    idleLockMinutes: 0,
    'alerts.lagLimit': 0,
    'alerts.noConsumerSec': 86_400,
    'notifications.desktop': false,
    'notifications.mutedKinds': 'lag,approval',
    'notifications.mutedUntil': '2026-11-30T14:00:00Z',
  });
  expect(settingKeys(settings).every((key) => settingAt(settings, key) !== undefined)).toBe(true);
  for (const key of ['look', 'contexts.prod', 'contexts.none.url', 'contexts.prod.name', 'policy.no', 'constructor']) {
    expect(settingAt(settings, key), key).toBeUndefined();
  }
});

test.each([
  [{ look: { theme: 'pink-unicorn' } }, 'look.theme: found string of 12 characters, allowed: system, dark, light'],
  [{ policy: { acceptPlain: 'yes' } }, 'policy.acceptPlain: found string of 3 characters, allowed: true, false'],
  [{ policy: 7 }, 'policy: found number, allowed: an object'],
  [{ idleLockMinutes: 1.5 }, 'idleLockMinutes: found number, allowed: 0 (never) to 1440'],
  [{ idleLockMinutes: null }, 'idleLockMinutes: found null, allowed: 0 (never) to 1440'],
  [{ contexts: [1] }, 'contexts: found array of 1, allowed: an object'],
  [{ contexts: { prod: 4 } }, 'contexts.prod: found number, allowed: an object'],
  [{ contexts: { 'a b': {} } }, 'contexts: found a name of 3 characters, allowed: 1–64 of A–Z a–z 0–9 _ -'],
  [{ contexts: { embedded: { kind: 'remote' } } }, 'contexts.embedded.kind: found another kind'],
  [{ contexts: { prod: { kind: 'remote' } } }, 'contexts.prod.url: missing'],
  [{ currentContext: 'elsewhere' }, 'currentContext: found a name of 9 characters that no context has'],
  [{ natsUrl: 'http://pink-unicorn' }, 'natsUrl: found string of 19 characters, allowed: nats://'],
  [{ natsUrl: 'ws://host:80' }, 'natsUrl: found string of 12 characters, allowed: nats:// or tls:// address'],
  [{ natsUrl: 'nats://host:99999' }, 'natsUrl: found string of 17 characters'],
  [{ alerts: { lagLimit: -1 } }, 'alerts.lagLimit: found number, allowed: 0 (never) to 1000000000 tasks'],
  [{ alerts: { ageLimitSec: '600' } }, 'alerts.ageLimitSec: found string of 3 characters'],
  [
    { notifications: { mutedKinds: 'lag,unicorn' } },
    'notifications.mutedKinds: found string of 11 characters, allowed: ',
  ],
  [{ notifications: { mutedKinds: '' } }, 'notifications.mutedKinds: found string of 0 characters'],
  [{ notifications: { mutedQueues: 'a,a' } }, 'notifications.mutedQueues: found string of 3 characters'],
  [{ notifications: { mutedQueues: 'a b' } }, 'notifications.mutedQueues: found string of 3 characters'],
  [
    { notifications: { mutedUntil: '2026-02-30T14:00:00Z' } },
    'notifications.mutedUntil: found string of 20 characters',
  ],
  [{ notifications: { mutedUntil: 'tomorrow' } }, 'notifications.mutedUntil: found string of 8 characters'],
  [
    { workspaceSecretEnv: 'pink unicorn' },
    "workspaceSecretEnv: found string of 12 characters, allowed: a variable's name",
  ],
])('settings: %j is named with type and what is allowed, not with its value', (value, text) => {
  const { problems } = readSettings({ look: { timeZone: 'utc' }, ...value });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain(text);
  expect(problems[0]?.message).not.toContain('unicorn');
});

test('settings: one bad key does not lose the others', () => {
  const { settings, problems } = readSettings({ look: { theme: 4, timeZone: 'utc' }, idleLockMinutes: 3 });
  expect(problems.map(({ key }) => key)).toEqual(['look.theme']);
  expect(settings).toMatchObject({ look: { theme: 'system', timeZone: 'utc' }, idleLockMinutes: 3 });
});

test.each([
  [{ VAK_BUS_NATS_CREDENTIALS_JWT: 'whatever' }, 'VAK_BUS_NATS_CREDENTIALS_JWT'],
  [{ VAK_BUS_NATS_NKEY_SEED: 'whatever' }, 'VAK_BUS_NATS_NKEY_SEED'],
  [{ bus: { natsNkeySeed: 'whatever' } }, 'bus.natsNkeySeed'],
  [{ VAK_WORKSPACE_SECRET: 'whatever' }, 'VAK_WORKSPACE_SECRET'],
  [{ workspaceSecrets: { one: 'whatever' } }, 'workspaceSecrets'],
  [{ workspaceSecretEnv: 'TEAM', TEAM: 'whatever' }, 'TEAM'],
  [{ workspaceSecretEnv: seed }, 'workspaceSecretEnv'],
  [{ natsUrl: 'nats://whatever:else@host' }, 'natsUrl'],
  [{ look: { theme: seed } }, 'look.theme'],
  [{ deep: [{ er: { still: ['x', `-----BEGIN PRIVATE KEY-----`] } }] }, 'deep.0.er.still.1'],
  [{ contexts: { prod: { kind: 'managed', password: 'whatever' } } }, 'contexts.prod.password'],
  [{ note: 'eyJhbGciOiJlZDI1NTE5In0.eyJ4IjoxfQ.AAAA' }, 'note'],
])('I3 a secret in the settings is named by its key and not used: %j', (value, key) => {
  const { settings, problems } = readSettings(value);
  expect(problems.map(({ code, key: found }) => [code, found])).toEqual([['secret-misplaced', key]]);
  const shown = JSON.stringify([settings, problems]);
  for (const hidden of [seed, 'whatever', 'PRIVATE', 'eyJ']) expect(shown).not.toContain(hidden);
});

test('I3 a secret that stands in place of a key is not shown', () => {
  const { problems } = readSettings({ [seed]: true, contexts: { [seed]: {} } });
  expect(problems.filter(({ code }) => code === 'secret-misplaced')).toHaveLength(2);
  expect(JSON.stringify(problems)).not.toContain(seed);
});

test('settings: whatever is in the file, reading gives fit settings and a bounded list', () => {
  const anything = fc.anything({ withNullPrototype: true });
  const keys = settingRows.map(({ key }) => key.split('.')[0] as string);
  const object = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), anything);
  fc.assert(
    fc.property(fc.oneof(object, anything), (value) => {
      const { settings, problems } = readSettings(value);
      expect(problems.length).toBeLessThanOrEqual(101);
      for (const row of fixedRows) {
        const found = settingAt(settings, row.key);
        expect(found === row.fallback || row.accepts(found)).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});

test('settings: a list is one text, and nothing is no list', () => {
  expect(listOf('render, builds')).toEqual(['render', 'builds']);
  expect(listOf(null)).toEqual([]);
  expect([listText(['a', 'b']), listText([])]).toEqual(['a,b', null]);
});
