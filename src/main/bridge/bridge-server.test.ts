import type { IpcMainEvent, IpcMainInvokeEvent } from 'electron';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import type { AccessGate } from '../../engine/access-gate.ts';
import type { Engine } from '../../engine/engine.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { appContract } from '../../shared/contract/app-contract.ts';
import { channels, type ResultEnvelope, type SnapshotUpdate } from '../../shared/contract/define-contract.ts';
import { serveBridge } from './bridge-server.ts';

type Handler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown;
type Listener = (event: IpcMainEvent, ...args: unknown[]) => void;

/** The bridge over services of this test's own; the real engine behind it is proved end to end. */
function setUp(isTrusted = true) {
  const handlers = new Map<string, Handler>();
  const listeners = new Map<string, Listener>();
  const log: string[] = [];
  const sent: unknown[] = [];
  let push: (update: SnapshotUpdate) => void = () => {};
  let secret = false;
  const services = {
    ...{
      access: {},
      app: {},
      approvals: {},
      bundles: {},
      connections: {},
      dlq: {},
      links: {},
      operations: {},
      provisioning: {},
      queues: {},
    },
    developer: {
      burst: (_input: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
    identity: { setUp() {}, unlock: () => 'unlocked', lock() {}, touch() {}, backup() {}, restore() {} },
    ...{ rooms: {}, sessions: {}, trace: {} },
    settings: { set() {}, reset() {}, setSecret() {}, deleteSecret() {} },
    streams: {
      read() {
        secret = true;
        throw new TypeError('seed SUAB… leaked');
      },
      ...{ stored() {}, page() {}, export() {}, cancelExport() {} },
    },
    swarm: { start() {}, stop: () => ({ stopped: true }), run() {}, cancel() {}, kill() {} },
  };
  let isOpen = true;
  const gateListeners = new Set<(isOpen: boolean) => void>();
  const gate: AccessGate = {
    get isOpen() {
      return isOpen;
    },
    check(name) {
      if (!isOpen && !name.startsWith('identity.')) throw new VakError('locked', `${name}: locked`);
    },
    isVisible: () => isOpen,
    onChange(listener) {
      gateListeners.add(listener);
      return toDisposable(() => gateListeners.delete(listener));
    },
    dispose() {},
  };
  const setGate = (next: boolean): void => {
    isOpen = next;
    for (const listener of [...gateListeners]) listener(isOpen);
  };
  let openFeedCount = 0;
  const feeds = {
    open() {
      openFeedCount++;
      return { credit() {}, ...toDisposable(() => openFeedCount--) };
    },
  };
  const ipc = {
    handle: (channel: string, handler: Handler) => void handlers.set(channel, handler),
    removeHandler: (channel: string) => void handlers.delete(channel),
    on: (channel: string, listener: Listener) => void listeners.set(channel, listener),
    off: (channel: string) => void listeners.delete(channel),
  };
  const bridge = serveBridge({
    ipc: ipc as unknown as Parameters<typeof serveBridge>[0]['ipc'],
    engine: {
      services,
      snapshots: {
        current: () => [{ name: 'a.b', version: 1, text: '1' }],
        subscribe(listener: typeof push) {
          push = listener;
          return toDisposable(() => {
            push = () => {};
          });
        },
      },
      feeds,
      gate,
    } as unknown as Pick<Engine, 'services' | 'snapshots' | 'feeds' | 'gate'>,
    senders: {
      add() {},
      send: (_channel, value) => void sent.push(value),
      check() {
        if (!isTrusted) throw new VakError('forbidden', 'bridge: this window may not use it');
      },
    },
    logger: createLineLogger(log),
  });
  const event = { sender: { id: 1 } } as unknown as IpcMainInvokeEvent;
  const invoke = (...args: unknown[]) => handlers.get(channels.invoke)?.(event, ...args) as Promise<ResultEnvelope>;
  const cancel = (senderId: number, callId: unknown): void =>
    listeners.get(channels.cancel)?.({ sender: { id: senderId } } as unknown as IpcMainEvent, callId);
  const wasRun = (): boolean => secret;
  const pushSnapshot = (): void => push({ name: 'a.b', version: 2, text: '2' });
  /** A window opens a feed; gives what came over its port. */
  const openFeed = (name: string): unknown[] => {
    const posted: unknown[] = [];
    const port = {
      ...{ on() {}, start() {}, postMessage: (value: unknown) => posted.push(value) },
      close: () => posted.push('closed'),
    };
    listeners.get(channels.feed)?.({ ports: [port], sender: { id: 1 } } as unknown as IpcMainEvent, { name });
    return posted;
  };
  return {
    ...{ bridge, handlers, listeners, invoke, cancel, log, sent, wasRun, pushSnapshot, event, setGate, openFeed },
    feedCount: () => openFeedCount,
    gateListenerCount: () => gateListeners.size,
  };
}

describe('bridge server', () => {
  it('answers a call with its value', async () => {
    expect(await setUp().invoke('1', 'swarm.stop', {})).toEqual({ ok: true, value: { stopped: true } });
  });

  it.each([
    ['an unknown method', ['1', 'swarm.nothing', {}], 'unknown-method'],
    ['__proto__', ['1', '__proto__', {}], 'unknown-method'],
    ['a member of Object', ['1', 'swarm.toString', {}], 'unknown-method'],
    ['a snapshot as a method', ['1', 'swarm.state', {}], 'unknown-method'],
    ['a method that is no text', ['1', { toString: () => 'swarm.stop' }, {}], 'unknown-method'],
    ['no arguments at all', [], 'invalid-input'],
    ['an empty call id', ['', 'swarm.stop', {}], 'invalid-input'],
    ['a call id that is no text', [7, 'swarm.stop', {}], 'invalid-input'],
    ['a long call id', ['x'.repeat(65), 'swarm.stop', {}], 'invalid-input'],
    ['input of the wrong type', ['1', 'streams.read', { seq: 'one' }], 'invalid-input'],
    ['no input', ['1', 'streams.read', undefined], 'invalid-input'],
    ['oversized input', ['1', 'streams.read', { seq: 1, more: 'x'.repeat(3_000_000) }], 'limit-exceeded'],
  ])('refuses %s with a code, and runs nothing', async (_what, args, code) => {
    const { invoke, wasRun } = setUp();
    expect(await invoke(...args)).toMatchObject({ ok: false, error: { code } });
    expect(wasRun()).toBe(false);
  });

  it('answers a bug with an id and no more; the log has the stack', async () => {
    const { invoke, log } = setUp();
    const result = await invoke('1', 'streams.read', { seq: 1 });
    expect(result).toEqual({
      ok: false,
      error: {
        code: 'internal',
        message: 'streams.read: a fault of the app; the log has it as bug-1',
        retryable: false,
      },
    });
    expect(log.join()).toContain('TypeError');
  });

  it('cancels a call of the same window, and not of another', async () => {
    const { invoke, cancel } = setUp();
    const call = invoke('1', 'developer.burst', { session: 's', count: 1, textLength: 1, form: 'bare' });
    expect(await invoke('1', 'swarm.stop', {})).toMatchObject({ ok: false, error: { code: 'invalid-input' } });
    cancel(2, '1');
    cancel(1, 'other');
    cancel(1, { toString: () => '1' });
    const state = await Promise.race([
      call.then(() => 'ended'),
      new Promise((resolve) => setTimeout(resolve, 20, 'open')),
    ]);
    expect(state).toBe('open');
    cancel(1, '1');
    expect(await call).toMatchObject({ ok: false, error: { code: 'aborted' } });
  });

  it('I3 while the key store is locked, only identity may be called, and no feed opens', async () => {
    const { invoke, setGate, openFeed, feedCount, wasRun, log } = setUp();
    setGate(false);
    for (const [method, input] of [
      ['swarm.stop', {}],
      ['streams.read', { seq: 1 }],
      ['settings.set', { key: 'look.theme', value: 'dark' }],
      ['streams.read', { seq: 'no number' }],
    ]) {
      expect(await invoke('1', method, input)).toMatchObject({ ok: false, error: { code: 'locked' } });
    }
    expect(wasRun()).toBe(false);
    expect(await invoke('1', 'swarm.nothing', {})).toMatchObject({ ok: false, error: { code: 'unknown-method' } });
    expect(await invoke('1', 'identity.unlock', {})).toEqual({ ok: true, value: 'unlocked' });
    expect(openFeed('streams.rows')).toMatchObject([{ error: { code: 'locked' } }, 'closed']);
    expect(feedCount()).toBe(0);
    setGate(true);
    expect(await invoke('1', 'swarm.stop', {})).toMatchObject({ ok: true });
    expect(log).toEqual([]);
  });

  it('I3 locking closes the feeds that are open; unlocking opens none by itself', () => {
    const { setGate, openFeed, feedCount, bridge, gateListenerCount } = setUp();
    const ports = [openFeed('streams.rows'), openFeed('streams.rows')];
    expect(feedCount()).toBe(2);
    setGate(false);
    expect(feedCount()).toBe(0);
    expect(ports).toEqual([['closed'], ['closed']]);
    setGate(true);
    expect(feedCount()).toBe(0);
    openFeed('streams.rows');
    bridge.dispose();
    expect([feedCount(), gateListenerCount()]).toEqual([0, 0]);
  });

  it('refuses every channel to a sender that is not trusted', async () => {
    const { invoke, handlers, listeners, event, log } = setUp(false);
    expect(await invoke('1', 'swarm.stop', {})).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    const snapshots = handlers.get(channels.snapshot)?.(event) as Promise<ResultEnvelope>;
    expect(await snapshots).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    const posted: unknown[] = [];
    const port = { postMessage: (value: unknown) => posted.push(value), close: () => posted.push('closed') };
    listeners.get(channels.feed)?.({ ports: [port], sender: { id: 9 } } as unknown as IpcMainEvent, {
      name: 'streams.rows',
    });
    expect(posted).toMatchObject([{ error: { code: 'forbidden' } }, 'closed']);
    listeners.get(channels.cancel)?.(event as unknown as IpcMainEvent, '1');
    expect(log.filter((line) => line.includes('bridge.refused'))).toHaveLength(2);
  });

  it('aborts what is open and takes its handlers away when it is disposed', async () => {
    const { bridge, invoke, handlers, listeners, sent, pushSnapshot } = setUp();
    const call = invoke('1', 'developer.burst', { session: 's', count: 1, textLength: 1, form: 'bare' });
    pushSnapshot();
    bridge.dispose();
    pushSnapshot();
    expect(await call).toMatchObject({ ok: false, error: { code: 'aborted' } });
    expect([handlers.size, listeners.size, sent.length]).toEqual([0, 0, 1]);
  });

  it('every call of the contract takes an object that is checked by a schema', () => {
    for (const members of Object.values(appContract)) {
      for (const spec of Object.values(members)) {
        if (spec.kind === 'call') expect(spec.input).toBeInstanceOf(z.ZodObject);
      }
    }
  });
});
