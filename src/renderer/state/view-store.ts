/** What only this window knows: view, theme, layout, selection (architecture.md §4). Survives a restart in local storage. */
import { createStore, type StoreApi } from 'zustand/vanilla';

/** The nine views of the left rail, in order of ⌘/Ctrl+1…9. */
export const viewIds = [
  'operations',
  'streams',
  'queues',
  'dead-letters',
  'trace',
  'approvals',
  'rooms',
  'identity',
  'settings',
] as const;
export type ViewId = (typeof viewIds)[number];
export type ThemeChoice = 'system' | 'light' | 'dark';
export type TimeZoneChoice = 'utc' | 'local';

export interface ViewState {
  readonly view: ViewId;
  readonly theme: ThemeChoice;
  readonly timeZone: TimeZoneChoice;
  readonly isInspectorOpen: boolean;
}

const defaults: ViewState = { view: 'streams', theme: 'system', timeZone: 'utc', isInspectorOpen: true };
const storageKey = 'view-state-v1';

function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

function load(storage: Storage): ViewState {
  let raw: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(storage.getItem(storageKey) ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) raw = parsed as Record<string, unknown>;
  } catch {
    // A layout that cannot be read is not worth an error: the defaults apply and are written with the next change.
  }
  return {
    view: oneOf(raw['view'], viewIds, defaults.view),
    theme: oneOf(raw['theme'], ['system', 'light', 'dark'], defaults.theme),
    timeZone: oneOf(raw['timeZone'], ['utc', 'local'], defaults.timeZone),
    isInspectorOpen: raw['isInspectorOpen'] !== false,
  };
}

/** Creates the store; every change is written to `storage`. */
export function createViewStore(storage: Storage): StoreApi<ViewState> {
  const store = createStore<ViewState>(() => load(storage));
  store.subscribe((state) => storage.setItem(storageKey, JSON.stringify(state)));
  return store;
}
