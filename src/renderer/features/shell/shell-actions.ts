/** Actions of the frame itself: go to a view, theme, time, palette, keys. */
import type { Action } from '../../actions/action-registry.ts';
import { showQuarantine, type ThemeChoice } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import { viewCatalog } from './view-catalog.ts';

/** What only the frame's component can do. */
export interface ShellCommands {
  readonly openPalette: () => void;
  readonly openKeys: () => void;
}

const themeTitles: Readonly<Record<ThemeChoice, string>> = {
  system: 'Follow the system’s theme',
  light: 'Use the light theme',
  dark: 'Use the dark theme',
};

export function createShellActions(
  { view, setLook }: Pick<Workbench, 'view' | 'setLook'>,
  commands: ShellCommands,
): readonly Action[] {
  const goTo = viewCatalog.map(({ id, title, keys }) => ({
    id: `view.${id}`,
    title: `Go to ${title}`,
    group: 'Go to',
    keys: [keys],
    run: () => view.setState({ view: id }),
  }));
  const themes = (['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme.${theme}`,
    title: themeTitles[theme],
    group: 'Appearance',
    disabledReason: () => (view.getState().theme === theme ? 'it is used already' : undefined),
    run: () => setLook({ theme }),
  }));
  return [
    ...goTo,
    { id: 'shell.palette', title: 'Search or run…', group: 'Workbench', keys: ['Mod+K'], run: commands.openPalette },
    { id: 'shell.keys', title: 'Show the keys of this view', group: 'Workbench', keys: ['?'], run: commands.openKeys },
    {
      id: 'view.refused',
      title: 'Show the refused messages',
      group: 'Go to',
      run: () => showQuarantine(view),
    },
    ...themes,
    {
      id: 'time.switch',
      title: 'Switch times between UTC and local',
      group: 'Appearance',
      run: () => setLook({ timeZone: view.getState().timeZone === 'utc' ? 'local' : 'utc' }),
    },
  ];
}
