/**
 * Main's end of a peer's channel: does on the bus what the peer asks for.
 * Law: nothing that the peer sends can throw here or grow without bound; at most one batch a subscription is under way.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Bus, Message, Subscription } from '../bus.ts';
import { alone, type HostFrame, type PeerFrame, readPeerFrame, type WireMessage, weightOf } from './channel-frames.ts';
import type { ChannelPort } from './channel-port.ts';

/** Most subscriptions of one peer, and most answers that it may owe. */
const maxSubscriptions = 1024;
const maxOwedAnswers = 1024;
const maxOpenRequests = 1024;

interface Served {
  readonly subscription: Subscription;
  finishBatch: () => void;
}

/** What serving a channel takes. */
export interface ChannelHostDeps {
  readonly port: ChannelPort;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves the bus over a channel until disposed or until the peer has gone. */
export function serveChannelBus({ port, bus, clock, logger }: ChannelHostDeps): Disposable {
  const held = createDisposer();
  const served = new Map<number, Served>();
  const owed = new Map<number, (data: Uint8Array) => void>();
  const open = new Map<number, AbortController>();
  let nextOwed = 1;
  let creditDue = 0;

  const post = (frame: HostFrame): void => port.post(frame);

  function giveCredit(bytes: number): void {
    if (creditDue === 0) {
      clock.defer(() => {
        const due = creditDue;
        creditDue = 0;
        post({ kind: 'credit', bytes: due });
      });
    }
    creditDue += bytes;
  }

  function publish(frame: Extract<PeerFrame, { kind: 'publish' }>): void {
    giveCredit(weightOf(frame));
    bus.publish(frame.subject, frame.data);
  }

  function oweAnswer(respond: (data: Uint8Array) => void): number {
    const id = nextOwed++;
    owed.set(id, respond);
    if (owed.size > maxOwedAnswers) {
      for (const oldest of owed.keys()) {
        owed.delete(oldest);
        break;
      }
    }
    return id;
  }

  function toWire({ subject, data: given, respond }: Message): WireMessage {
    const data = alone(given);
    return respond === undefined ? { subject, data } : { subject, data, request: oweAnswer(respond) };
  }

  function subscribe({ id, pattern, policy, capacity }: Extract<PeerFrame, { kind: 'subscribe' }>): void {
    if (served.has(id)) throw new VakError('invalid-input', `subscribe: id ${id} is in use`);
    if (served.size >= maxSubscriptions) {
      throw new VakError('limit-exceeded', `subscribe: a peer may have ${maxSubscriptions} subscriptions`);
    }
    const entry: Served = {
      subscription: bus.subscribe(pattern, {
        kind: policy,
        capacity,
        onBatch: (messages, dropped) =>
          new Promise((resolve) => {
            entry.finishBatch = resolve;
            post({ kind: 'batch', id, messages: messages.map(toWire), dropped });
          }),
      }),
      finishBatch: () => {},
    };
    served.set(id, entry);
  }

  function unsubscribe(id: number): void {
    const entry = served.get(id);
    if (entry === undefined) return;
    served.delete(id);
    entry.subscription.dispose();
    entry.finishBatch();
  }

  async function request({ id, subject, data, timeoutMs }: Extract<PeerFrame, { kind: 'request' }>): Promise<void> {
    if (open.has(id) || open.size >= maxOpenRequests) {
      throw new VakError('limit-exceeded', `request ${subject}: a peer may have ${maxOpenRequests} open requests`);
    }
    const abort = new AbortController();
    open.set(id, abort);
    try {
      post({ kind: 'reply', id, data: alone(await bus.request(subject, data, { timeoutMs, signal: abort.signal })) });
    } catch (thrown) {
      const error = isVakError(thrown)
        ? thrown.toShape()
        : new VakError('internal', `request failed, see the log: ${logger.bug('channel.request', thrown)}`).toShape();
      post({ kind: 'reply-error', id, error });
    } finally {
      open.delete(id);
    }
  }

  function respond(id: number, data: Uint8Array): void {
    const answer = owed.get(id);
    owed.delete(id);
    answer?.(data);
  }

  function onFrame(frame: PeerFrame): void | Promise<void> {
    switch (frame.kind) {
      case 'publish':
        return publish(frame);
      case 'subscribe':
        return subscribe(frame);
      case 'unsubscribe':
        return unsubscribe(frame.id);
      case 'batch-done':
        return served.get(frame.id)?.finishBatch();
      case 'request':
        return request(frame);
      case 'request-abort':
        return open.get(frame.id)?.abort();
      case 'respond':
        return respond(frame.id, frame.data);
    }
  }

  function refused(kind: string, thrown: unknown): void {
    if (isVakError(thrown)) logger.warn('channel.refused', { kind, code: thrown.code, message: thrown.message });
    else logger.bug('channel.frame', thrown);
  }

  held.add(
    port.onMessage((value) => {
      const reading = readPeerFrame(value);
      if (reading === 'foreign') return;
      if (reading === 'malformed') return logger.warn('channel.malformed-frame', { side: 'host' });
      try {
        onFrame(reading.frame)?.catch((thrown: unknown) => refused(reading.frame.kind, thrown));
      } catch (thrown) {
        refused(reading.frame.kind, thrown);
      }
    }),
  );
  held.add(port.onClose(() => held.dispose()));
  held.defer(() => {
    for (const id of [...served.keys()]) unsubscribe(id);
    for (const abort of open.values()) abort.abort();
    owed.clear();
  });
  return held;
}
