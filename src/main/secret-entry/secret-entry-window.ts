/** Asks for one secret in a small window of its own, which is destroyed after (product.md "Configuration"). */
import { BrowserWindow, type IpcMain, type IpcMainEvent, type IpcMainInvokeEvent, nativeTheme } from 'electron';
import { type Secret, secretFromText } from '../../engine/identity/secret.ts';
import type { SecretQuestion } from '../../engine/ports/operator-prompt.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import {
  type EntryQuestion,
  type EntryRefusal,
  entryChannels,
  maxEntryLength,
} from '../../shared/contract/secret-entry-contract.ts';
import { createTrustedSenders } from '../bridge/trusted-sender.ts';

/** What the window is made of. */
export interface SecretEntryDeps {
  readonly ipc: Pick<IpcMain, 'handle' | 'removeHandler' | 'on' | 'off'>;
  readonly preload: string;
  readonly url: string;
  /** Origin of the development server; unset in what ships. */
  readonly devOrigin: string | undefined;
  /** The workbench's window, if it is open. */
  readonly parent: () => BrowserWindow | undefined;
  /** Writes a bug to the log and gives its id. */
  readonly onBug: (thrown: unknown) => string;
}

function openWindow({ preload, url, parent }: SecretEntryDeps): BrowserWindow {
  const owner = parent();
  const window = new BrowserWindow({
    ...(owner === undefined ? {} : { parent: owner, modal: true }),
    width: 480,
    height: 360,
    useContentSize: true,
    resizable: false,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    show: false,
    title: 'Vak Workbench',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#161a20' : '#f6f7f9',
    webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  });
  window.setMenu(null);
  window.once('ready-to-show', () => window.show());
  void window.loadURL(url);
  return window;
}

/** Asks until `attempt` succeeds. Throws `aborted` when the person closes the window, `already-running` if one is open. */
export function createSecretEntry(deps: SecretEntryDeps) {
  let isOpen = false;

  async function tryIt(text: unknown, attempt: (secret: Secret) => Promise<void>): Promise<EntryRefusal> {
    if (typeof text !== 'string' || text.length > maxEntryLength) return `At most ${maxEntryLength} characters.`;
    const secret = secretFromText(text);
    try {
      await attempt(secret);
      return null;
    } catch (thrown) {
      return isVakError(thrown) ? thrown.message : `A fault of the app; the log has it as ${deps.onBug(thrown)}.`;
    } finally {
      secret.dispose();
    }
  }

  return async (question: SecretQuestion, attempt: (secret: Secret) => Promise<void>): Promise<void> => {
    if (isOpen) throw new VakError('already-running', 'a secret is being asked for already; answer that window first');
    isOpen = true;
    const held = createDisposer();
    try {
      await new Promise<void>((resolve, reject) => {
        const window = openWindow(deps);
        held.defer(() => window.destroy());
        const senders = createTrustedSenders(deps.devOrigin);
        senders.add(window.webContents);
        const theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
        deps.ipc.handle(entryChannels.describe, (event: IpcMainInvokeEvent): EntryQuestion => {
          senders.check(event);
          return { ...question, theme };
        });
        held.defer(() => deps.ipc.removeHandler(entryChannels.describe));
        deps.ipc.handle(
          entryChannels.submit,
          async (event: IpcMainInvokeEvent, text: unknown): Promise<EntryRefusal> => {
            senders.check(event);
            const refusal = await tryIt(text, attempt);
            if (refusal === null) setImmediate(resolve);
            return refusal;
          },
        );
        held.defer(() => deps.ipc.removeHandler(entryChannels.submit));
        const close = (): void => reject(new VakError('aborted', 'the window was closed; nothing was changed'));
        const onCancel = (event: IpcMainEvent): void => {
          senders.check(event);
          close();
        };
        deps.ipc.on(entryChannels.cancel, onCancel);
        held.defer(() => deps.ipc.off(entryChannels.cancel, onCancel));
        window.on('closed', close);
      });
    } finally {
      held.dispose();
      isOpen = false;
    }
  };
}
