/**
 * The settings file of a profile (product.md "Configuration"): read, changed by key, watched.
 * Law: what cannot be read is kept and said, never overwritten; a secret in it is not used; every write is whole.
 */

import { lstat } from 'node:fs/promises';
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { valueTextAt } from '../../shared/settings/json-text.ts';
import type { SettingValue } from '../../shared/settings/setting-keys.ts';
import type { SettingsProblem } from '../../shared/settings/settings-problem.ts';
import { type Settings, settingAt } from '../../shared/settings/settings-schema.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import { fileError } from '../identity/file-error.ts';
import { createFileLock } from '../identity/file-lock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type BusSettings, busSettingsOf, changeBetween, type SettingsChange } from './bus-settings.ts';
import { loadSettings, readSettingsFile, type SettingsSource, type SettingsState } from './load-settings.ts';
import { lineOfSetting, settingRow, withoutSetting, withSetting } from './settings-text.ts';

export interface SettingsFileOptions {
  /** Path of `settings.json`. */
  readonly file: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Looks for changes from outside so often, ms; 0: only `refresh` looks. */
  readonly watchEveryMs: number;
}

export interface SettingsFile extends Disposable {
  settings(): Settings;
  /** What in the file is not used, and why. */
  problems(): readonly SettingsProblem[];
  /** The line of a dotted key in the file, from 1; undefined if it is not there. */
  lineOf(key: string): number | undefined;
  /** Value in force at a flat key, and whether the file sets it. Throws `not-found`, `secret-misplaced`. */
  get(key: string): { readonly value: SettingValue; readonly isSet: boolean };
  /** Throws `invalid-input`, `not-found`, `secret-misplaced`, `limit-exceeded`, `forbidden`. */
  set(key: string, value: SettingValue): Promise<void>;
  /** Takes a setting, a section or an unknown key out of the file; false if it is not in it. Throws `forbidden`. */
  delete(key: string): Promise<boolean>;
  /** Looks whether the file was changed from outside. */
  refresh(): Promise<void>;
  /** Bus of a context, else of the current one. Throws `not-found`. */
  busSettings(context?: string): BusSettings;
  onChange(listener: (change: SettingsChange) => void): Disposable;
}

/** Another process holds the file for milliseconds. */
const lockWaitMs = 5_000;

/** Opens the settings of a profile; a file that is not there is made by the first `set`. */
export async function openSettingsFile(options: SettingsFileOptions): Promise<SettingsFile> {
  const { file, clock, randomness, logger, watchEveryMs } = options;
  const lock = createFileLock({ path: `${file}.lock`, waitMs: lockWaitMs, clock, randomness });
  const source: SettingsSource = { file, clock, logger, lock };
  const held = createDisposer();
  const listeners = new Set<(change: SettingsChange) => void>();
  let state = await loadSettings(source);
  let isLooking = false;
  let queue: Promise<unknown> = Promise.resolve();

  function inOrder<T>(run: () => Promise<T>): Promise<T> {
    const next = queue.then(run);
    queue = next.catch(() => {});
    return next;
  }

  function tell(change: SettingsChange): void {
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch (error) {
        logger.bug('settings.listener', error);
      }
    }
  }

  function become(next: SettingsState): void {
    const before = state;
    state = next;
    if (held.isDisposed) return;
    const change = changeBetween(before.settings, next.settings);
    const isSame = change.keys.length === 0 && JSON.stringify(before.problems) === JSON.stringify(next.problems);
    if (!isSame) tell(change);
  }

  async function signatureNow(): Promise<string> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(file, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(':');
    } catch {
      return '';
    }
  }

  async function look(): Promise<void> {
    if ((await signatureNow()) !== state.signature || state.obstacle !== undefined) become(await loadSettings(source));
  }

  /** Reads the file anew under the lock, so that what another process has just written is not lost. */
  async function write(edit: (text: string) => string | undefined): Promise<boolean> {
    await look();
    return await source.lock.run(async (lock) => {
      const found = await readSettingsFile(file);
      if (found.obstacle !== undefined)
        throw new VakError('forbidden', `${file}: ${found.obstacle}; nothing was written`);
      const text = edit(found.text);
      if (text === undefined) return false;
      lock.assertHeld();
      try {
        await writeFileAtomically(file, utf8(text), 0o600);
      } catch (error) {
        throw fileError('write', file, error);
      }
      become(await readSettingsFile(file));
      return true;
    });
  }

  if (watchEveryMs > 0) {
    const tick = (): void => {
      if (isLooking) return;
      isLooking = true;
      void inOrder(look)
        .catch((error: unknown) => logger.bug('settings.watch', error))
        .finally(() => {
          isLooking = false;
        });
    };
    held.add(clock.setTicker(watchEveryMs, tick));
  }

  return {
    settings: () => state.settings,
    problems: () => state.problems,
    lineOf: (key) => lineOfSetting(state.text, key),
    get(key) {
      const { fallback } = settingRow(key);
      const isSet = valueTextAt(state.text, key.split('.')) !== undefined;
      return { value: settingAt(state.settings, key) ?? fallback, isSet };
    },
    async set(key, value) {
      await inOrder(() => write((text) => withSetting(text, key, value)));
    },
    delete: (key) => inOrder(() => write((text) => withoutSetting(text, key))),
    refresh: () => inOrder(look),
    busSettings: (context) => busSettingsOf(state.settings, context),
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    dispose: () => held.dispose(),
  };
}
