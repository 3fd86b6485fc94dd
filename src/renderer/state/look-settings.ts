/**
 * Theme and time zone: the settings file owns them, the view store holds a copy for the first paint.
 * Law: the file's value wins, except over a choice of this window that is still on its way there.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { SettingsState } from '../../shared/contract/settings-contract.ts';
import type { Mirror } from './mirror-store.ts';
import type { ViewState } from './view-store.ts';

export type Look = Pick<ViewState, 'theme' | 'timeZone'>;
/** Shows a choice at once and writes it to the settings. */
export type SetLook = (choice: Partial<Look>) => void;

export interface LookDeps {
  readonly mirror: StoreApi<Mirror>;
  readonly view: StoreApi<ViewState>;
  /** `client.settings.set`. */
  readonly save: (setting: { readonly key: string; readonly value: string }) => Promise<void>;
  readonly reportError: (doing: string, error: unknown) => void;
}

const allowed = { theme: ['system', 'light', 'dark'], timeZone: ['utc', 'local'] } as const;

function lookValue<K extends keyof Look>(settings: SettingsState | undefined, name: K): Look[K] | undefined {
  const value = settings?.values.find(({ key }) => key === `look.${name}`)?.value;
  return (allowed[name] as readonly unknown[]).includes(value) ? (value as Look[K]) : undefined;
}

/** What the settings say of the look; a part is missing if they do not say it. */
function lookOf(settings: SettingsState | undefined): Partial<Look> {
  const theme = lookValue(settings, 'theme');
  const timeZone = lookValue(settings, 'timeZone');
  return { ...(theme === undefined ? {} : { theme }), ...(timeZone === undefined ? {} : { timeZone }) };
}

/** Keeps the copy current while the window lives, and gives what changes it. */
export function createLookSettings({ mirror, view, save, reportError }: LookDeps): SetLook {
  let savingCount = 0;
  const follow = (): void => {
    const look = lookOf(mirror.getState()['settings.current']);
    const shown = view.getState();
    const isShown = Object.entries(look).every(([name, value]) => shown[name as keyof Look] === value);
    if (!isShown) view.setState(look);
  };
  mirror.subscribe((state, before) => {
    if (savingCount === 0 && state['settings.current'] !== before['settings.current']) follow();
  });
  follow();

  async function write(name: string, value: string): Promise<void> {
    savingCount++;
    try {
      await save({ key: `look.${name}`, value });
      savingCount--;
    } catch (error) {
      savingCount--;
      follow();
      reportError('Keep how the app looks', error);
    }
  }

  return (choice) => {
    view.setState(choice);
    for (const [name, value] of Object.entries(choice)) void write(name, value);
  };
}
