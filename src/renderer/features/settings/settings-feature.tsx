/** What of the settings is there all the time: a way to each of them by its name. */
import { useMemo } from 'react';
import { useActions, useSnapshot, useWorkbench } from '../../workbench.tsx';
import { createJumpActions } from './jump-actions.ts';

export function SettingsFeature() {
  const { view } = useWorkbench();
  const settings = useSnapshot('settings.current');
  // The page has one row a key, whatever its value is.
  const keys = settings?.values.map(({ key }) => key).join('\n') ?? '';
  useActions(useMemo(() => createJumpActions(view, keys === '' ? [] : keys.split('\n')), [view, keys]));
  return null;
}
