import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { expect, test, vi } from 'vitest';
import { readSettings } from '../../shared/settings/settings-schema.ts';
import { createWindowLook } from './window-look.ts';

test('product.md "Everywhere": a window has the size of the settings from its first page on, and follows them until it is closed', async () => {
  let { settings } = readSettings({ look: { zoomPercent: 125 } });
  const listeners = new Set<() => void>();
  const set = vi.fn(async (_key: string, zoomPercent: unknown) => {
    ({ settings } = readSettings({ look: { zoomPercent, theme: 'dark' } }));
    for (const listener of listeners) listener();
  });
  const theme = { themeSource: 'light' as const as 'light' | 'dark' | 'system' };
  const look = createWindowLook({
    theme,
    onBug: (thrown) => expect.unreachable(String(thrown)),
    settings: {
      settings: () => settings,
      set,
      onChange(listener) {
        const heard = (): void => listener({ keys: [], isBus: false });
        listeners.add(heard);
        return { dispose: () => void listeners.delete(heard) };
      },
    },
  });
  expect(theme.themeSource).toBe('system');
  const setZoomFactor = vi.fn();
  const webContents = Object.assign(new EventEmitter(), { setZoomFactor });
  const window = Object.assign(new EventEmitter(), { webContents });
  look.follow(window as unknown as BrowserWindow);
  webContents.emit('did-navigate');
  look.zoom('in');
  await vi.waitFor(() => expect(setZoomFactor.mock.calls).toEqual([[1.25], [1.5]]));
  expect(set).toHaveBeenCalledWith('look.zoomPercent', 150);
  expect(theme.themeSource).toBe('dark');
  window.emit('closed');
  look.zoom('actual');
  await vi.waitFor(() => expect(settings.look.zoomPercent).toBe(100));
  expect(setZoomFactor).toHaveBeenCalledTimes(2);
});
