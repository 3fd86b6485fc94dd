/** The one bridge object in the page (architecture.md §3). Law: it never changes when a feature is added; no raw IPC gets through. */
import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge, channels, ResultEnvelope, SnapshotUpdate } from '../shared/contract/define-contract.ts';

const channel = {
  invoke: 'bridge:invoke',
  cancel: 'bridge:cancel',
  snapshot: 'bridge:snapshot',
  feed: 'bridge:feed',
} as const satisfies typeof channels;

const bridge: Bridge = {
  invoke: (callId, method, input) => ipcRenderer.invoke(channel.invoke, callId, method, input),
  cancel: (callId) => ipcRenderer.send(channel.cancel, callId),
  onSnapshot(listener) {
    const onUpdate = (_event: unknown, update: SnapshotUpdate): void => listener(update);
    ipcRenderer.on(channel.snapshot, onUpdate);
    void ipcRenderer.invoke(channel.snapshot).then((result: ResultEnvelope) => {
      if (result.ok) for (const update of result.value as readonly SnapshotUpdate[]) listener(update);
    });
    return () => ipcRenderer.off(channel.snapshot, onUpdate);
  },
  openFeed(feedId, name, params) {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage(channel.feed, { name, params }, [port2]);
    window.postMessage({ bridgeFeed: feedId }, window.location.origin, [port1]);
  },
};

contextBridge.exposeInMainWorld('bridge', bridge);
