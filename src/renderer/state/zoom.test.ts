import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsState } from '../../shared/contract/settings-contract.ts';
import type { Mirror } from './mirror-store.ts';
import { createZoom } from './zoom.ts';

const settings = (value: number): SettingsState => ({
  ...{ path: '/p/settings.json', secrets: [], workspaceSecrets: [], problems: [] },
  values: [
    {
      ...{ key: 'look.zoomPercent', value, isDefault: false, help: '', allowed: '' },
      ...{ applies: 'at-once', isWaiting: false },
    },
  ],
});

test('product.md "Everywhere": steps of zoom that are pressed faster than the settings answer add up', async () => {
  const mirror = createStore<Mirror>(() => ({}));
  const saves: number[] = [];
  let answer: Promise<void> = Promise.resolve();
  const zoom = createZoom({
    mirror,
    save: ({ value }) => {
      saves.push(value);
      return answer;
    },
  });
  expect(zoom.percent()).toBe(100);
  await Promise.all([zoom.step('out'), zoom.step('out'), zoom.step('out')]);
  expect([saves, zoom.percent()]).toEqual([[90, 80, 75], 75]);
  mirror.setState({ 'settings.current': settings(200) });
  expect(zoom.percent()).toBe(200);
  answer = Promise.reject(new Error('the disk is full'));
  await expect(zoom.step('actual')).rejects.toThrow('the disk is full');
  expect(zoom.percent()).toBe(200);
});
