import { describe, expect, it } from 'vitest';
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';
import { noticeKinds } from '../../../shared/protocol/incident-kinds.ts';
import { contextColours, contextRows, fixedRows, themes } from '../../../shared/settings/setting-keys.ts';
import {
  contextNames,
  controlOf,
  filterSettings,
  groupSettings,
  isAboutConnections,
  isOfConnections,
  settingLabel,
  weaknessOf,
  withoutKey,
} from './setting-catalog.ts';

const rows = [...fixedRows, ...contextRows].map(({ key, ...row }) => ({ ...row, key: key.replace('<name>', 'prod') }));
const values: readonly SettingValue[] = rows.map(({ key, fallback, help, allowed, applies }) => {
  return { key, value: fallback, isDefault: true, help, allowed, applies: applies ?? 'at-once', isWaiting: false };
});
const settingOf = (key: string) => values.find((one) => one.key === key) as SettingValue;

describe('the settings page', () => {
  it('has a word for every setting of the table', () => {
    for (const { key } of values) expect(settingLabel(key), key).not.toBe(key);
    expect(settingLabel('contexts.prod.readOnly')).toBe('prod: read only');
    expect(settingLabel('some.other')).toBe('some.other');
  });

  it('puts every setting into exactly one group', () => {
    const groups = groupSettings(values);
    expect(groups.map(({ title }) => title)).toEqual([
      ...[
        'Connection',
        'Encryption policy',
        'Retention',
        'Memory',
        'Alerts',
        'Notifications',
        'Rooms',
        'Look',
        'Security',
      ],
    ]);
    expect(groups.flatMap((group) => group.values.map(({ key }) => key)).toSorted()).toEqual(
      values.map(({ key }) => key).toSorted(),
    );
    expect(groupSettings([{ ...settingOf('natsUrl'), key: 'other' }]).map(({ title }) => title)).toEqual(['More']);
  });

  it.each([
    ['policy.acceptPlain', { kind: 'toggle' }],
    ['contexts.prod.readOnly', { kind: 'toggle' }],
    ['idleLockMinutes', { kind: 'number', unit: 'min' }],
    ['alerts.lagLimit', { kind: 'number', unit: 'tasks' }],
    ['notifications.desktop', { kind: 'toggle' }],
    ['notifications.mutedKinds', { kind: 'several', choices: noticeKinds }],
    ['notifications.mutedQueues', { kind: 'text' }],
    ['notifications.mutedUntil', { kind: 'until' }],
    ['retention.receiptsDays', { kind: 'number', unit: 'd' }],
    ['memory.bufferMiB', { kind: 'number', unit: 'MiB' }],
    ['keyAliases', { kind: 'text' }],
    ['natsUrl', { kind: 'text' }],
    ['workspaceSecretEnv', { kind: 'text' }],
    ['contexts.prod.url', { kind: 'text' }],
    ['look.theme', { kind: 'choice', choices: themes }],
    ['contexts.prod.colour', { kind: 'choice', choices: contextColours }],
    ['currentContext', { kind: 'choice', choices: ['embedded', 'prod'] }],
  ])('changes %s with %j', (key, control) => {
    expect(controlOf(settingOf(key), contextNames(values))).toEqual(control);
  });

  it('keeps a value that is no choice any more among the choices', () => {
    expect(controlOf({ key: 'currentContext', value: 'gone' }, ['prod'])).toEqual({
      kind: 'choice',
      choices: ['embedded', 'prod', 'gone'],
    });
  });

  it('finds by label, key, help and group, all words at once, and never by value', () => {
    const secrets = [{ name: 'VAK_BUS_NATS_NKEY_SEED', isSet: true, source: null, help: 'seed of the bus' }];
    const keys = (query: string) => filterSettings({ values, secrets }, query).values.map(({ key }) => key);
    expect(keys('unsealed accept')).toEqual(['policy.acceptPlain']);
    expect(keys('look.')).toEqual(['look.theme', 'look.timeZone', 'look.zoomPercent']);
    expect(keys('security')).toEqual(['idleLockMinutes']);
    expect(keys('VAK_WORKSPACE_SECRET')).toEqual([]);
    expect(filterSettings({ values, secrets }, 'nkey').secrets).toEqual(secrets);
    expect(filterSettings({ values, secrets }, '  ')).toEqual({ values, secrets });
  });

  it('leaves what describes connections to their table, and finds that', () => {
    expect(values.map(({ key }) => key).filter(isOfConnections)).toEqual([
      'currentContext',
      'contexts.prod.kind',
      'contexts.prod.url',
      'contexts.prod.colour',
      'contexts.prod.readOnly',
    ]);
    // The table changes nothing of the embedded one.
    expect(isOfConnections('contexts.embedded.readOnly')).toBe(false);
    expect(['', 'connection', 'import creds', 'readonly', 'theme'].map(isAboutConnections)).toEqual([
      ...[true, true, true, true, false],
    ]);
  });

  it('does not say a key twice', () => {
    expect(withoutKey('natsUrl', 'natsUrl: found number')).toBe('found number');
    expect(withoutKey('', ': odd')).toBe(': odd');
    expect(withoutKey('a', 'b: found number')).toBe('b: found number');
  });

  it('marks what is weaker than the default', () => {
    expect(weaknessOf({ key: 'policy.acceptPlain', value: true })).toBeDefined();
    expect(weaknessOf({ key: 'policy.acceptPlain', value: false })).toBeUndefined();
    expect(weaknessOf({ key: 'idleLockMinutes', value: 0 })).toBeDefined();
    expect(weaknessOf({ key: 'idleLockMinutes', value: 15 })).toBeUndefined();
  });
});
