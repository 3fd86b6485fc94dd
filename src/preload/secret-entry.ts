/** The secret-entry window's bridge: a question, one answer. Law: nothing else can be reached from that window. */
import { contextBridge, ipcRenderer } from 'electron';
import type { EntryBridge, entryChannels } from '../shared/contract/secret-entry-contract.ts';

const channel = {
  describe: 'secret-entry:describe',
  submit: 'secret-entry:submit',
  cancel: 'secret-entry:cancel',
} as const satisfies typeof entryChannels;

const entry: EntryBridge = {
  describe: () => ipcRenderer.invoke(channel.describe),
  submit: (text) => ipcRenderer.invoke(channel.submit, text),
  cancel: () => ipcRenderer.send(channel.cancel),
};

contextBridge.exposeInMainWorld('secretEntry', entry);
