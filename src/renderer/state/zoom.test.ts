import { expect, test, vi } from 'vitest';
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
  const reportError = vi.fn();
  const zoom = createZoom({
    mirror,
    reportError,
    save: ({ value }) => {
      saves.push(value);
      return answer;
    },
  });
  expect(zoom.percent()).toBe(100);
  for (let press = 0; press < 3; press++) zoom.step('out');
  await vi.waitFor(() => expect(saves).toEqual([90, 75]));
  expect(zoom.percent()).toBe(75);
  mirror.setState({ 'settings.current': settings(200) });
  expect(zoom.percent()).toBe(200);
  const full = new Error('the disk is full');
  answer = Promise.reject(full);
  zoom.step('actual');
  await vi.waitFor(() => expect(reportError).toHaveBeenCalledWith('Zoom', full));
  expect(zoom.percent()).toBe(200);
});
