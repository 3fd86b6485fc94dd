/**
 * Main's end of the bridge (architecture.md §3): sender, method, size, schema, then the service.
 * Law: every message is answered with a result envelope, never with silence, a throw or a stack.
 */
import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, MessagePortMain } from 'electron';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import { appContract } from '../../shared/contract/app-contract.ts';
import {
  type CallContext,
  type CallSpec,
  channels,
  type ResultEnvelope,
} from '../../shared/contract/define-contract.ts';
import { servePort } from './feed-port.ts';
import { checkInputSize } from './input-size.ts';
import type { TrustedSenders } from './trusted-sender.ts';

/** Most calls of one window that may be under way. */
const maxOpenCalls = 256;

/** What the bridge is made of. */
export interface BridgeDeps {
  readonly ipc: Pick<IpcMain, 'handle' | 'removeHandler' | 'on' | 'off'>;
  readonly engine: Pick<Engine, 'services' | 'snapshots' | 'feeds' | 'gate'>;
  readonly senders: TrustedSenders;
  readonly logger: Logger;
}

type Run = (input: unknown, context: CallContext) => unknown;
interface Method {
  readonly spec: CallSpec;
  readonly run: Run;
}

function methodsOf(services: Engine['services']): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const [feature, members] of Object.entries(appContract)) {
    const service = services[feature as keyof typeof services] as Readonly<Record<string, Run>>;
    for (const [member, spec] of Object.entries(members)) {
      if (spec.kind === 'call') methods.set(`${feature}.${member}`, { spec, run: service[member] as Run });
    }
  }
  return methods;
}

/** Why a call is ended, so that one that only throws its signal's reason fails as expected, and is no bug. */
const cancelled = (why: string): VakError => new VakError('aborted', `bridge: the call was cancelled: ${why}`);

/** Serves the four channels until disposed; disposing aborts every open call and closes every feed. */
export function serveBridge({ ipc, engine, senders, logger }: BridgeDeps): Disposable {
  const held = createDisposer();
  const methods = methodsOf(engine.services);
  const openCalls = new Map<string, AbortController>();
  const openFeeds = new Set<Disposable>();

  function toShape(doing: string, thrown: unknown): ErrorShape {
    if (isVakError(thrown)) return thrown.toShape();
    const id = logger.bug(doing, thrown);
    return new VakError('internal', `${doing}: a fault of the app; the log has it as ${id}`).toShape();
  }

  function checkCall(
    callId: unknown,
    method: unknown,
    input: unknown,
  ): { method: Method; name: string; input: unknown } {
    if (typeof callId !== 'string' || callId.length === 0 || callId.length > 64) {
      throw new VakError('invalid-input', 'bridge: callId must be a text of 1–64 characters');
    }
    const found = typeof method === 'string' ? methods.get(method) : undefined;
    if (typeof method !== 'string' || found === undefined) {
      throw new VakError('unknown-method', 'bridge: there is no method of that name');
    }
    engine.gate.check(method);
    checkInputSize(method, input);
    const parsed = found.spec.input.safeParse(input);
    if (!parsed.success) throw new VakError('invalid-input', `${method}: ${firstIssue(parsed.error)}`);
    return { method: found, name: method, input: parsed.data };
  }

  async function invoke(event: IpcMainInvokeEvent, args: readonly unknown[]): Promise<ResultEnvelope> {
    let doing = 'bridge';
    try {
      senders.check(event);
      const [callId, methodName, rawInput] = args;
      const { method, name, input } = checkCall(callId, methodName, rawInput);
      doing = name;
      const key = `${event.sender.id}:${callId}`;
      if (openCalls.has(key)) throw new VakError('invalid-input', 'bridge: a call with this id is under way');
      if (openCalls.size >= maxOpenCalls) {
        throw new VakError('limit-exceeded', `bridge: ${maxOpenCalls} calls are under way`, { retryable: true });
      }
      const abort = new AbortController();
      openCalls.set(key, abort);
      try {
        return { ok: true, value: await method.run(input, { signal: abort.signal }) };
      } finally {
        openCalls.delete(key);
      }
    } catch (thrown) {
      return { ok: false, error: toShape(doing, thrown) };
    }
  }

  function isTrusted(event: IpcMainEvent, doing: string): boolean {
    try {
      senders.check(event);
      return true;
    } catch (thrown) {
      logger.warn('bridge.refused', { doing, message: isVakError(thrown) ? thrown.message : 'unknown' });
      return false;
    }
  }

  const onCancel = (event: IpcMainEvent, callId: unknown): void => {
    if (isTrusted(event, 'cancel') && typeof callId === 'string')
      openCalls.get(`${event.sender.id}:${callId}`)?.abort(cancelled('the window asked for it'));
  };

  const onFeed = (event: IpcMainEvent, request: unknown): void => {
    const port: MessagePortMain | undefined = event.ports[0];
    if (port === undefined) return;
    if (!isTrusted(event, 'feed')) {
      port.postMessage({ error: new VakError('forbidden', 'bridge: this page may not open feeds').toShape() });
      port.close();
      return;
    }
    const { name, params } = (typeof request === 'object' && request !== null ? request : {}) as Record<
      string,
      unknown
    >;
    const served = servePort({
      port,
      open(send) {
        if (typeof name !== 'string') throw new VakError('invalid-input', 'feed: the name must be a text');
        engine.gate.check(name);
        checkInputSize(name, params);
        return engine.feeds.open(name, params, send);
      },
      toShape: (thrown) => toShape('feed', thrown),
      onEnd: (ended) => openFeeds.delete(ended),
    });
    if (served !== undefined) openFeeds.add(served);
  };

  async function currentSnapshots(event: IpcMainInvokeEvent): Promise<ResultEnvelope> {
    try {
      senders.check(event);
      return { ok: true, value: engine.snapshots.current() };
    } catch (thrown) {
      return { ok: false, error: toShape('snapshot', thrown) };
    }
  }

  ipc.handle(channels.invoke, (event, ...args) => invoke(event, args));
  held.defer(() => ipc.removeHandler(channels.invoke));
  ipc.handle(channels.snapshot, currentSnapshots);
  held.defer(() => ipc.removeHandler(channels.snapshot));
  ipc.on(channels.cancel, onCancel);
  held.defer(() => ipc.off(channels.cancel, onCancel));
  ipc.on(channels.feed, onFeed);
  held.defer(() => ipc.off(channels.feed, onFeed));
  held.add(engine.snapshots.subscribe((update) => senders.send(channels.snapshot, update)));
  function closeFeeds(): void {
    for (const served of [...openFeeds]) served.dispose();
  }
  held.add(engine.gate.onChange((isOpen) => (isOpen ? undefined : closeFeeds())));
  held.defer(() => {
    closeFeeds();
    for (const abort of openCalls.values()) abort.abort(cancelled('the app ends'));
  });
  return held;
}
