/**
 * What somebody at the app can tell after an action: what is shown, what has the focus, what was said, what main was asked.
 * Law: what changes by itself (rates, clocks, counts) is no effect.
 */
import type { Page } from '@playwright/test';
import type { Workbench } from './workbench.ts';

/** Calls that a window makes while nobody does anything. */
const ownCalls =
  /^(streams\.check|links\.|operations\.show|rooms\.(page|members|draft|setDraft|markRead)|queues\.(history|peek|outcomes))/;

interface Watched {
  effectCalls?: string[];
  effectWindows?: number;
}

/** Watches main: its calls, its dialogs for files (each is cancelled), its other windows (each is closed). */
export async function watchMain({ app }: Pick<Workbench, 'app'>): Promise<void> {
  await app.evaluate(({ app: electron, dialog, ipcMain }) => {
    const watched = globalThis as Watched;
    watched.effectCalls = [];
    const handlers = (
      ipcMain as unknown as { _invokeHandlers: Map<string, (event: unknown, ...args: unknown[]) => unknown> }
    )._invokeHandlers;
    const invoke = handlers.get('bridge:invoke');
    if (invoke === undefined) throw new Error('main has no handler of bridge:invoke');
    handlers.set('bridge:invoke', (event, ...args) => {
      watched.effectCalls?.push(JSON.stringify(args));
      return invoke(event, ...args);
    });
    const cancelled = (kind: string) => (): Promise<object> => {
      watched.effectCalls?.push(`dialog ${kind}`);
      return Promise.resolve({ canceled: true, filePaths: [], filePath: '', response: 1 });
    };
    for (const kind of ['showOpenDialog', 'showSaveDialog', 'showMessageBox'] as const)
      Object.assign(dialog, { [kind]: cancelled(kind) });
    electron.on('browser-window-created', (_event, window) => {
      watched.effectCalls?.push('a window of its own');
      window.once('ready-to-show', () => window.close());
    });
  });
}

/** Names of the calls that main was asked for since it is watched, all of them. */
export async function calledNames({ app }: Pick<Workbench, 'app'>): Promise<readonly string[]> {
  const all = await app.evaluate(() => (globalThis as Watched).effectCalls ?? []);
  return all.map((call) => /^\[[^,]*,"([a-zA-Z]+\.[a-zA-Z]+)"/.exec(call)?.[1] ?? call);
}

/** What main was asked since it is watched, without what a window asks by itself. */
async function calls({ app }: Pick<Workbench, 'app'>): Promise<readonly string[]> {
  const all = await app.evaluate(() => (globalThis as Watched).effectCalls ?? []);
  return all.filter(
    (call) => !/^\[[^,]*,"/.test(call) || !ownCalls.test(/"([a-zA-Z]+\.[a-zA-Z]+)"/.exec(call)?.[1] ?? ''),
  );
}

/** What the page shows that only somebody's doing changes. */
function shown(page: Page): Promise<Readonly<Record<string, unknown>>> {
  return page.evaluate(() => {
    const texts = (selector: string): string[] =>
      [...document.querySelectorAll(selector)].map((element) => element.textContent ?? '');
    const active = document.activeElement;
    return {
      title: document.title,
      theme: document.documentElement.dataset['theme'],
      view: localStorage.getItem('view-state-v1'),
      dialogs: texts('[role="dialog"] h2, [role="alertdialog"] h2'),
      notices: texts('.notice'),
      focus: `${active?.tagName} ${active?.getAttribute('aria-label')} ${active?.getAttribute('data-testid')} ${active?.id}`,
      picked: document.querySelectorAll('[data-picked="true"], [aria-checked="true"]').length,
      chosen: [...document.querySelectorAll('[aria-selected="true"], [aria-pressed="true"], [aria-current]')].map(
        (element) => `${element.getAttribute('data-testid')} ${element.getAttribute('data-seq')} ${element.id}`,
      ),
      places: [...document.querySelectorAll('[role="grid"], [role="listbox"], [role="tree"]')].map(
        (element) => element.getAttribute('aria-activedescendant') ?? element.scrollTop,
      ),
      place: texts('[data-testid="table-place"]').map((text) => text.replaceAll(/\d+/g, '#')),
    };
  });
}

/** Everything by which an effect is told. */
export async function effects(workbench: Pick<Workbench, 'app' | 'page'>): Promise<string> {
  return JSON.stringify([await shown(workbench.page), await calls(workbench)]);
}
