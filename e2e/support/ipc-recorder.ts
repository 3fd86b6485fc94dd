/**
 * Writes down what main and its windows say to each other, from before the app's first line on.
 * Law: everything is recorded at main's end, as main was given it or gave it; nothing of the product takes part.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the workbench's window said and was told, and the same of the window that asks for a secret. */
export type Conversation = 'workbench-said' | 'workbench-told' | 'entry-said' | 'entry-told';

export interface IpcRecorder {
  /** Arguments for Electron, before all others. */
  readonly args: readonly string[];
  /** Everything of one conversation so far, over all starts of the app: structured clones one after the other. */
  read(conversation: Conversation): Buffer;
}

/** Loaded into main before the app. */
const hook = (folder: string): string => `
const { app, ipcMain, MessageChannelMain } = require('electron');
const { EventEmitter } = require('node:events');
const { appendFileSync } = require('node:fs');
const { serialize } = require('node:v8');
const record = (name, value) => appendFileSync(${JSON.stringify(folder)} + '/' + name, serialize(value));
const partner = (channel) => channel.startsWith('bridge:') ? 'workbench' : channel.startsWith('secret-entry:') ? 'entry' : undefined;
const handle = ipcMain.handle.bind(ipcMain);
ipcMain.handle = (channel, listener) => handle(channel, async (event, ...args) => {
  record(partner(channel) + '-said', [channel, args]);
  try {
    const answer = await listener(event, ...args);
    record(partner(channel) + '-told', [channel, answer]);
    return answer;
  } catch (thrown) {
    record(partner(channel) + '-told', [channel, String(thrown)]);
    throw thrown;
  }
});
const emit = ipcMain.emit.bind(ipcMain);
ipcMain.emit = (channel, event, ...args) => {
  const who = typeof channel === 'string' ? partner(channel) : undefined;
  if (who !== undefined) record(who + '-said', [channel, args]);
  return emit(channel, event, ...args);
};
app.on('web-contents-created', (_event, contents) => {
  const send = contents.send.bind(contents);
  contents.send = (channel, ...args) => {
    record((partner(channel) ?? 'workbench') + '-told', [channel, args]);
    send(channel, ...args);
  };
});
app.once('ready', () => {
  const port = Object.getPrototypeOf(new MessageChannelMain().port1);
  const post = port.postMessage;
  port.postMessage = function (message, ...more) {
    record('workbench-told', ['feed', message]);
    return post.call(this, message, ...more);
  };
  port.emit = function (name, ...args) {
    if (name === 'message') record('workbench-said', ['feed', args[0].data]);
    return EventEmitter.prototype.emit.call(this, name, ...args);
  };
});
`;

/** Creates a recorder that keeps its files in a folder of its own. */
export function createIpcRecorder(folder: string): IpcRecorder {
  mkdirSync(folder, { recursive: true });
  const script = join(folder, 'record-ipc.cjs');
  writeFileSync(script, hook(folder));
  return {
    args: ['-r', script],
    read(conversation) {
      const file = join(folder, conversation);
      return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    },
  };
}
