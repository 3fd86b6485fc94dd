/** The native menu: the platform's own roles, and where the log is. */
import { Menu, type MenuItemConstructorOptions } from 'electron';

/** What the menu's own items do. */
export interface MenuActions {
  openLogFolder(): void;
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
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
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
