import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fitToScreens, loadWindowState, saveWindowState } from './window-state.ts';

const screen = { x: 0, y: 0, width: 1920, height: 1080 };

describe('window state', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'window-state-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('comes back as it was saved', () => {
    const file = join(folder, 'deep', 'state.json');
    const state = { bounds: { x: 10, y: 20, width: 1300, height: 800 }, isMaximized: true };
    saveWindowState(file, state);
    expect(loadWindowState(file)).toEqual(state);
    expect(fitToScreens(state, [screen])).toEqual(state);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"bounds":{"x":1}}',
    '{"bounds":{"x":1e99,"y":0,"width":-5,"height":1},"isMaximized":false}',
  ])('takes the default for the broken file %j, and leaves it', (text) => {
    const file = join(folder, 'state.json');
    writeFileSync(file, text);
    expect(loadWindowState(file)).toEqual({ bounds: { width: 1440, height: 900 }, isMaximized: false });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    { x: 5000, y: 100 },
    { x: -3000, y: 100 },
    { x: 100, y: -400 },
    { x: 100, y: 1070 },
  ])('centres a window that no screen shows any more: %j', (place) => {
    const fitted = fitToScreens({ bounds: { ...place, width: 1300, height: 800 }, isMaximized: false }, [screen]);
    expect(fitted.bounds).toEqual({ width: 1300, height: 800 });
  });

  it('is never smaller than the layout allows, nor larger than the largest screen', () => {
    expect(fitToScreens({ bounds: { width: 10, height: 10 }, isMaximized: false }, [screen]).bounds).toEqual({
      width: 1024,
      height: 700,
    });
    expect(fitToScreens({ bounds: { width: 9000, height: 9000 }, isMaximized: false }, [screen]).bounds).toEqual({
      width: 1920,
      height: 1080,
    });
  });
});
