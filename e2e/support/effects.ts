/**
 * What somebody at the app can tell after an action: what is shown, what has the focus, what was said, what main was asked.
 * Law: what changes by itself (rates, clocks, counts) is no effect.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Workbench } from './workbench.ts';

/** Calls that a window makes while nobody does anything. */
const ownCalls =
  /^(streams\.check|links\.|operations\.show|rooms\.(page|members|draft|setDraft|markRead)|queues\.(history|peek|outcomes))/;

type Watched = Pick<Workbench, 'app' | 'profile'>;

/** Where main notes them, a line each: asked for it many times a second, its debugger loses an answer now and then. */
const fileOf = ({ profile }: Pick<Watched, 'profile'>): string => join(profile, 'effects.ndjson');

/** Watches main: its calls, its dialogs for files (each is cancelled), its other windows (each is closed). */
export async function watchMain(workbench: Watched): Promise<void> {
  const path = fileOf(workbench);
  writeFileSync(path, '');
  await workbench.app.evaluate(({ app: electron, dialog, ipcMain }, file) => {
    const { appendFileSync } = process.getBuiltinModule('node:fs');
    const note = (line: string): void => appendFileSync(file, `${line}\n`);
    const handlers = (
      ipcMain as unknown as { _invokeHandlers: Map<string, (event: unknown, ...args: unknown[]) => unknown> }
    )._invokeHandlers;
    const invoke = handlers.get('bridge:invoke');
    if (invoke === undefined) throw new Error('main has no handler of bridge:invoke');
    handlers.set('bridge:invoke', (event, ...args) => {
      note(JSON.stringify(args));
      return invoke(event, ...args);
    });
    const cancelled = (kind: string) => (): Promise<object> => {
      note(`dialog ${kind}`);
      return Promise.resolve({ canceled: true, filePaths: [], filePath: '', response: 1 });
    };
    for (const kind of ['showOpenDialog', 'showSaveDialog', 'showMessageBox'] as const)
      Object.assign(dialog, { [kind]: cancelled(kind) });
    electron.on('browser-window-created', (_event, window) => {
      note('a window of its own');
      window.once('ready-to-show', () => window.close());
    });
  }, path);
}

const noted = (workbench: Pick<Watched, 'profile'>): readonly string[] =>
  readFileSync(fileOf(workbench), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Names of the calls that main was asked for since it is watched, all of them. */
export function calledNames(workbench: Pick<Watched, 'profile'>): readonly string[] {
  return noted(workbench).map((call) => /^\[[^,]*,"([a-zA-Z]+\.[a-zA-Z]+)"/.exec(call)?.[1] ?? call);
}

/** What main was asked since it is watched, without what a window asks by itself. */
function calls(workbench: Pick<Watched, 'profile'>): readonly string[] {
  return noted(workbench).filter(
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
export async function effects(workbench: Pick<Workbench, 'page' | 'profile'>): Promise<string> {
  return JSON.stringify([await shown(workbench.page), calls(workbench)]);
}
