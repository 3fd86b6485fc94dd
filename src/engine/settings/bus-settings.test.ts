import { expect, test } from 'vitest';
import { readSettings, type Settings } from '../../shared/settings/settings-schema.ts';
import { destinationOf } from './bus-settings.ts';

const { settings: own } = readSettings(new Map());
const remote = { name: 'prod', kind: 'remote', natsUrl: 'nats://a:4222', colour: 'red', readOnly: false } as const;
const settings: Settings = { ...own, contexts: [...own.contexts, remote], currentContext: 'prod' };

test('B8 what is kept for an engine is kept under the name of its context', () => {
  expect([destinationOf(settings), destinationOf(settings, 'embedded')]).toEqual(['prod', 'embedded']);
});

test('B8 an address that is given by itself is a destination of its own, however it is written', () => {
  const at = (natsUrl: string): string => destinationOf({ ...settings, natsUrl });
  expect(at('nats://a:4222')).toMatch(/^url\.[0-9a-f]{16}$/);
  expect(at('nats://B:4222/, nats://a:4222')).toBe(at('nats://a:4222,nats://b:4222'));
  expect(at('nats://a:4223')).not.toBe(at('nats://a:4222'));
});
