/** Actions of the frame itself: go to a view, theme, time, palette, keys. */
import { zoomAfter } from '../../../shared/settings/zoom-steps.ts';
import type { Action } from '../../actions/action-registry.ts';
import { showQuarantine, type ThemeChoice } from '../../state/view-store.ts';
import { formatPercent } from '../../ui/format.ts';
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

const zoomActions = [
  { step: 'in', title: 'Zoom in', keys: ['Mod+=', 'Mod++'] },
  { step: 'out', title: 'Zoom out', keys: ['Mod+-'] },
  { step: 'actual', title: 'Zoom to 100 %', keys: ['Mod+0'] },
] as const;

export function createShellActions(
  { view, setLook, zoom }: Pick<Workbench, 'view' | 'setLook' | 'zoom'>,
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
  const zooms = zoomActions.map(({ step, title, keys }) => ({
    ...{ id: `zoom.${step}`, title, group: 'Appearance', keys },
    disabledReason: () =>
      zoomAfter(zoom.percent(), step) === zoom.percent() ? `it is at ${formatPercent(zoom.percent())}` : undefined,
    run: () => zoom.step(step),
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
    ...zooms,
    {
      id: 'time.switch',
      title: 'Switch times between UTC and local',
      group: 'Appearance',
      run: () => setLook({ timeZone: view.getState().timeZone === 'utc' ? 'local' : 'utc' }),
    },
  ];
}
