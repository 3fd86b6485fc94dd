/** The native menu: the platform's own roles, and where the log is. */
import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { ZoomStep } from '../../shared/settings/zoom-steps.ts';

/** What the menu's own items do. */
export interface MenuActions {
  openLogFolder(): void;
  zoom(step: ZoomStep): void;
}

/** The size is a setting, so these are no roles of the platform's. The page takes the keys first, while its workbench is open. */
function zoomItems(zoom: MenuActions['zoom']): MenuItemConstructorOptions[] {
  const item = (label: string, step: ZoomStep, key: string): MenuItemConstructorOptions => ({
    ...{ label, accelerator: `CommandOrControl+${key}` },
    click: () => zoom(step),
  });
  return [
    item('Actual size', 'actual', '0'),
    item('Zoom in', 'in', 'Plus'),
    { ...item('Zoom in', 'in', '='), visible: false, acceleratorWorksWhenHidden: true },
    item('Zoom out', 'out', '-'),
  ];
}

/** Builds and sets the menu for this platform. */
export function setAppMenu(platform: NodeJS.Platform, actions: MenuActions): void {
  const isMac = platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    { label: 'File', submenu: [{ role: isMac ? 'close' : 'quit' }] },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        ...zoomItems(actions.zoom),
        { type: 'separator' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ label: 'Open log folder', click: () => actions.openLogFolder() }] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
