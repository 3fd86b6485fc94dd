/** A way to each setting, and to each part of the page, for the palette. */
import type { Action } from '../../actions/action-registry.ts';
import { showSetting } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import { groupOf, isOfConnections, settingLabel } from './setting-catalog.ts';

const group = 'Settings';

const partTitles = {
  workspaceSecrets: 'Workspace secrets',
  retention: 'Retention of the streams',
  secrets: 'Secrets of the connection',
  posture: 'Posture: how this installation is protected',
} as const;

export function createJumpActions(view: Workbench['view'], keys: readonly string[]): readonly Action[] {
  const jump = (key: string, title: string): Action => ({
    ...{ id: `settings.go.${key}`, title, group, isOneOfMany: true },
    run: () => showSetting(view, key),
  });
  // What describes connections is changed in their table.
  const own = keys.filter((key) => !isOfConnections(key));
  return [
    ...Object.entries(partTitles).map(([key, title]) => jump(key, title)),
    ...own.map((key) => jump(key, `${groupOf(key)}: ${settingLabel(key)} (${key})`)),
  ];
}
