import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsState } from '../../shared/contract/settings-contract.ts';
import { createLookSettings } from './look-settings.ts';
import type { Mirror } from './mirror-store.ts';
import { createViewStore } from './view-store.ts';

const settings = (theme: string, timeZone = 'local'): SettingsState => ({
  path: '/p/settings.json',
  secrets: [],
  workspaceSecrets: [],
  problems: [],
  values: Object.entries({ 'look.theme': theme, 'look.timeZone': timeZone }).map(([key, value]) => ({
    ...{ key, value, isDefault: false, help: '', allowed: '', applies: 'at-once', isWaiting: false },
  })),
});

function setUp() {
  const mirror = createStore<Mirror>(() => ({}));
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  const saves: { resolve: () => void; reject: (error: Error) => void; setting: unknown }[] = [];
  const save = (setting: unknown) =>
    new Promise<void>((resolve, reject) => void saves.push({ resolve, reject, setting }));
  const reportError = vi.fn();
  const setLook = createLookSettings({ mirror, view, save, reportError });
  const say = (value: SettingsState): void => mirror.setState({ 'settings.current': value });
  return { view, saves, reportError, setLook, say };
}

describe('look', () => {
  it('follows the settings file', () => {
    const { view, say } = setUp();
    say(settings('dark', 'utc'));
    expect(view.getState()).toMatchObject({ theme: 'dark', timeZone: 'utc' });
  });

  it('keeps what it shows where the settings say nothing that can be shown', () => {
    const { view, say } = setUp();
    say(settings('light'));
    say(settings('no such theme', 'utc'));
    expect(view.getState()).toMatchObject({ theme: 'light', timeZone: 'utc' });
  });

  it('shows a choice at once, and an older value on its way does not take it back', async () => {
    const { view, saves, setLook, say } = setUp();
    setLook({ theme: 'light' });
    setLook({ theme: 'dark' });
    expect(saves.map(({ setting }) => setting)).toEqual([
      { key: 'look.theme', value: 'light' },
      { key: 'look.theme', value: 'dark' },
    ]);
    say(settings('light'));
    expect(view.getState().theme).toBe('dark');
    for (const { resolve } of saves) resolve();
    await Promise.resolve();
    say(settings('dark'));
    expect(view.getState().theme).toBe('dark');
  });

  it('goes back to what the file says when the choice could not be written, and says so', async () => {
    const { view, saves, setLook, say, reportError } = setUp();
    say(settings('dark'));
    setLook({ theme: 'light' });
    const refusal = new Error('the file cannot be written');
    saves[0]?.reject(refusal);
    await vi.waitFor(() => expect(reportError).toHaveBeenCalledWith(expect.any(String), refusal));
    expect(view.getState().theme).toBe('dark');
  });
});
