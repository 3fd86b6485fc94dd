/** What of the settings is there all the time: a way to each of them by its name, and a warning while the program is not as a release is. */
import { useEffect, useMemo } from 'react';
import { useActions, useSnapshot, useWorkbench } from '../../workbench.tsx';
import { createJumpActions } from './jump-actions.ts';
import { programWarning } from './posture.ts';

export function SettingsFeature() {
  const { view, advise } = useWorkbench();
  const hardening = useSnapshot('app.status')?.hardening ?? null;
  const warning = programWarning(hardening);
  useEffect(() => (warning === undefined ? undefined : advise(warning)), [warning, advise]);
  const settings = useSnapshot('settings.current');
  // The page has one row a key, whatever its value is.
  const keys = settings?.values.map(({ key }) => key).join('\n') ?? '';
  useActions(useMemo(() => createJumpActions(view, keys === '' ? [] : keys.split('\n')), [view, keys]));
  return null;
}
