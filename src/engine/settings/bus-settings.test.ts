import { expect, test } from 'vitest';
import { readSettings, type Settings } from '../../shared/settings/settings-schema.ts';
import { destinationOf } from './bus-settings.ts';

const { settings: own } = readSettings(new Map());
const prodAt = (natsUrl: string) =>
  ({ name: 'prod', kind: 'remote', natsUrl, colour: 'red', readOnly: false }) as const;
const here = { name: 'here', kind: 'managed', natsUrl: null, colour: 'red', readOnly: false } as const;
const settings: Settings = {
  ...own,
  contexts: [...own.contexts, prodAt('nats://a:4222'), here],
  currentContext: 'prod',
};

test('B8 what is kept for an engine of our own is kept under its kind', () => {
  expect([destinationOf(settings, 'here'), destinationOf(settings, 'embedded')]).toEqual(['managed', 'embedded']);
});

test('B8 what is kept for a server is kept under its address, legible, however that is written or called', () => {
  const at = (natsUrl: string): string => destinationOf({ ...settings, natsUrl });
  expect(destinationOf(settings)).toMatch(/^at_a_4222\.[0-9a-f]{16}$/);
  expect(at('nats://a:4222/')).toBe(destinationOf(settings));
  expect(at('nats://A:4222,nats://b:4222')).toBe(at('nats://b:4222, nats://a:4222'));
  expect(at('nats://a:4223')).not.toBe(at('nats://a:4222'));
});

test('B8 another server under the same name of a context is another destination', () => {
  const contexts = [...own.contexts, prodAt('nats://b:4222')];
  expect(destinationOf({ ...settings, contexts })).not.toBe(destinationOf(settings));
});
