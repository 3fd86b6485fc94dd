/** Asks the person at the machine: secrets in a window of their own, files by the platform's dialogs. */
import { join } from 'node:path';
import { app, type BrowserWindow, dialog, type OpenDialogOptions } from 'electron';
import type { OperatorPrompt } from '../../engine/ports/operator-prompt.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createSecretEntry, type SecretEntryDeps } from '../secret-entry/secret-entry-window.ts';

const aborted = (): VakError => new VakError('aborted', 'no file was chosen; nothing was changed');

/** Creates the prompt over the workbench's window. */
export function createOperatorPrompt(deps: SecretEntryDeps): OperatorPrompt {
  const folder = (): string => app.getPath('documents');

  async function withParent<T>(show: {
    readonly over: (parent: BrowserWindow) => Promise<T>;
    readonly alone: () => Promise<T>;
  }): Promise<T> {
    const parent = deps.parent();
    return await (parent === undefined ? show.alone() : show.over(parent));
  }

  /** None: it was closed. */
  async function chooseFiles(asked: Pick<OpenDialogOptions, 'title' | 'properties'>): Promise<readonly string[]> {
    const options = { ...asked, defaultPath: folder() };
    const { canceled, filePaths } = await withParent({
      over: (parent) => dialog.showOpenDialog(parent, options),
      alone: () => dialog.showOpenDialog(options),
    });
    return canceled ? [] : filePaths;
  }

  return {
    askSecret: createSecretEntry(deps),
    async chooseSaveFile({ title, defaultName }) {
      const options = { title, defaultPath: join(folder(), defaultName) };
      const { canceled, filePath } = await withParent({
        over: (parent) => dialog.showSaveDialog(parent, options),
        alone: () => dialog.showSaveDialog(options),
      });
      if (canceled || filePath === '') throw aborted();
      return filePath;
    },
    async chooseOpenFile({ title }) {
      const [path] = await chooseFiles({ title, properties: ['openFile'] });
      if (path === undefined) throw aborted();
      return path;
    },
    async chooseOpenFiles({ title }) {
      const paths = await chooseFiles({ title, properties: ['openFile', 'multiSelections'] });
      if (paths.length === 0) throw aborted();
      return paths;
    },
  };
}
