/** A setting that is a number, as the settings have it now; its default until they are known. Pure. */
import type { SettingsState } from '../../shared/contract/settings-contract.ts';
import { rowOf } from '../../shared/settings/setting-keys.ts';

export function numberSetting(settings: SettingsState | undefined, key: string): number {
  const value = settings?.values.find((one) => one.key === key)?.value ?? rowOf(key)?.fallback;
  if (typeof value !== 'number') throw new TypeError(`${key} is no setting with a number`);
  return value;
}
