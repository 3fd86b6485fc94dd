/**
 * Subscriptions of a bus on core NATS: one a pattern at the server, however many listen to it here (protocol.md B1).
 * Law: what arrives is handed to every listener as one message, and nothing that a listener does stops the client's reader.
 */
import type { NatsConnection as Client, Msg, Subscription } from 'nats';
import { requestMark } from '../../../shared/protocol/reader-names.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Message } from '../bus.ts';
import { deliverTo, type SubscriptionSink } from '../subscription-sink.ts';

/** Answers go to inboxes only: whoever asks must not make us publish elsewhere with our rights. */
const inboxRoot = '_INBOX.';
const controlPlane = 'vak.control.';

export interface InflowDeps {
  readonly client: Client;
  readonly logger: Logger;
  readonly respond: (reply: string, data: Uint8Array) => void;
  /** Before it goes to so many listeners. */
  readonly onMessage: (message: Message, listeners: number) => void;
}

export interface Inflow {
  /** Returns its end. */
  add(pattern: string, sink: SubscriptionSink): () => void;
  /** Asks again for what the server refused, as rights may be others now. */
  renew(): void;
  /** Ends at the server; resolves when what it had sent before is here. */
  drain(): Promise<void>;
  dispose(): void;
}

interface Feed {
  readonly wire: string;
  /** The one subject that can come, which need not be read anew of each message. */
  readonly exact: string | undefined;
  /** Undefined: refused by the server. */
  subscription: Subscription | undefined;
  sinks: readonly SubscriptionSink[];
}

/** A pattern without the engine's own traffic ($JS, inboxes): the root of the fabric's subjects is `vak`. */
function onWire(pattern: string): string {
  if (pattern === '>') return 'vak.>';
  return pattern.startsWith('*.') ? `vak${pattern.slice(1)}` : pattern;
}

/** Of a checked pattern: the subject that it is, if it has no wildcard. */
function exactOf(pattern: string): string | undefined {
  return pattern.includes('*') || pattern.includes('>') ? undefined : pattern;
}

/** Small messages share memory of so many bytes: one alone costs more to make and to free than its copy does. */
const slabBytes = 4_096;

/** Gives a message's bytes as plain bytes, and not within all that the socket gave if they are a small part of it. */
function createOwnBytes(): (data: Uint8Array) => Uint8Array {
  let slab = new ArrayBuffer(slabBytes);
  let used = 0;
  return (data) => {
    const { length } = data;
    if (length * 4 >= data.buffer.byteLength) return new Uint8Array(data.buffer, data.byteOffset, length);
    if (length * 4 > slabBytes) return new Uint8Array(data);
    if (used + length > slabBytes) {
      slab = new ArrayBuffer(slabBytes);
      used = 0;
    }
    const own = new Uint8Array(slab, used, length);
    own.set(data);
    used += length;
    return own;
  };
}

function isRequest(subject: string, reply: string): boolean {
  if (!reply.startsWith(inboxRoot)) return false;
  // Elsewhere a reply is mostly JetStream's, for its acknowledgement: answering would forge one.
  return subject.startsWith(controlPlane) || reply.split('.').at(-3) === requestMark;
}

export function createInflow({ client, logger, respond, onMessage }: InflowDeps): Inflow {
  const feeds = new Map<string, Feed>();
  const ownBytes = createOwnBytes();

  function toMessage(msg: Msg, exact: string | undefined): Message {
    const subject = exact ?? msg.subject;
    const { reply } = msg;
    const data = ownBytes(msg.data);
    if (reply === undefined || !isRequest(subject, reply)) return { subject, data };
    let hasAnswered = false;
    return {
      subject,
      data,
      respond(answer) {
        if (hasAnswered) return;
        hasAnswered = true;
        respond(reply, answer);
      },
    };
  }
  function listen(feed: Feed): void {
    feed.subscription = client.subscribe(feed.wire, {
      callback(error, msg) {
        if (error !== null) {
          feed.subscription = undefined;
          return;
        }
        try {
          const { sinks } = feed;
          const message = toMessage(msg, feed.exact);
          onMessage(message, sinks.length);
          deliverTo(sinks, message);
        } catch (thrown) {
          logger.bug('nats.delivery-threw', thrown);
        }
      },
    });
  }
  const endAtServer = (feed: Feed): void => {
    if (feed.subscription !== undefined && !client.isClosed()) feed.subscription.unsubscribe();
    feed.subscription = undefined;
  };

  return {
    add(pattern, sink) {
      const wire = onWire(pattern);
      const feed = feeds.get(wire) ?? { wire, exact: exactOf(wire), subscription: undefined, sinks: [] };
      feeds.set(wire, feed);
      if (feed.subscription === undefined) listen(feed);
      feed.sinks = [...feed.sinks, sink];
      return () => {
        feed.sinks = feed.sinks.filter((other) => other !== sink);
        if (feed.sinks.length > 0 || feeds.get(wire) !== feed) return;
        feeds.delete(wire);
        endAtServer(feed);
      };
    },
    renew() {
      for (const feed of feeds.values()) if (feed.subscription === undefined) listen(feed);
    },
    async drain() {
      const open = [...feeds.values()].flatMap(({ subscription }) => subscription ?? []);
      await Promise.all(open.map((one) => one.drain()));
    },
    dispose() {
      for (const feed of feeds.values()) endAtServer(feed);
      feeds.clear();
    },
  };
}
