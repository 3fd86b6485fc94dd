/**
 * Requests of the live plane that wait for their answers, over one inbox (protocol.md B5).
 * Law: each ends by its answer, at once when nobody listens, by a refusal, by its time or signal, or with the connection.
 */
import type { NatsConnection as Client, Msg, Subscription } from 'nats';
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Randomness } from '../../ports/randomness.ts';
import type { RequestOptions } from '../bus.ts';
import { createPendingRequest, type PendingRequest } from '../pending-request.ts';
import type { NatsConnection } from './nats-connection.ts';
import { deniedError, toVakError } from './nats-errors.ts';
import { createTokens } from './nats-tokens.ts';

export interface RequestsDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** What the inbox begins with; a random part follows. */
  readonly prefix: string;
  /** A request went to the server; bytes of its data. */
  readonly onSent: (sizeBytes: number) => void;
}

export interface Requests extends Disposable {
  /** Rejects with `no-responders`, `timeout`, `aborted`, `disconnected`, `unauthorized`, `closed`. */
  ask(subject: string, data: Uint8Array, options: RequestOptions): Promise<Uint8Array>;
  /** Rejects what waits for an answer on a subject that the server refuses; whether there was any. */
  deny(subject: string): boolean;
}

/** What a server says when nobody listens (NATS' headers have the status of HTTP). */
const noResponders = 503;

const lost = (subject: string): VakError =>
  new VakError('disconnected', `request ${subject}: the server cannot be reached now; ask again later`, {
    retryable: true,
  });

function settle(request: PendingRequest, subject: string, { data, headers }: Msg): void {
  if (data.length > 0 || headers?.code !== noResponders) {
    request.resolve(new Uint8Array(data));
    return;
  }
  request.reject(new VakError('no-responders', `request ${subject}: nobody listens there`, { retryable: true }));
}

export function createRequests({ connection, clock, randomness, prefix, onSent }: RequestsDeps): Requests {
  const client: Client = connection.client;
  const held = createDisposer();
  const newToken = createTokens(randomness);
  const inbox = `${prefix}.${newToken()}`;
  const waiting = new Map<string, { readonly subject: string; readonly request: PendingRequest }>();
  let subscription: Subscription | undefined;

  function rejectWhere(isMeant: (subject: string) => boolean, error: (subject: string) => VakError): boolean {
    const meant = [...waiting.values()].filter(({ subject }) => isMeant(subject));
    for (const { subject, request } of meant) request.reject(error(subject));
    return meant.length > 0;
  }
  function listen(): void {
    subscription ??= client.subscribe(`${inbox}.*`, {
      callback(error, msg) {
        if (error !== null) {
          subscription = undefined;
          rejectWhere(
            () => true,
            () => deniedError('subscribe', `${inbox}.*`),
          );
          return;
        }
        const found = waiting.get(msg.subject.slice(inbox.length + 1));
        if (found !== undefined) settle(found.request, found.subject, msg);
      },
    });
  }

  held.add(connection.onLost(() => void rejectWhere(() => true, lost)));
  return {
    async ask(subject, data, options) {
      const token = newToken();
      const request = createPendingRequest(subject, { ...options, clock }, () => waiting.delete(token));
      if (options.signal?.aborted === true) return request.answer;
      waiting.set(token, { subject, request });
      try {
        if (!connection.isUp()) throw lost(subject);
        listen();
        client.publish(subject, data, { reply: `${inbox}.${token}` });
        onSent(data.length);
      } catch (thrown) {
        request.reject(toVakError(thrown, `request ${subject}`));
      }
      return request.answer;
    },
    deny: (subject) =>
      rejectWhere(
        (other) => other === subject,
        () => deniedError('publish', subject),
      ),
    dispose() {
      for (const { request } of [...waiting.values()]) request.dispose();
      if (!client.isClosed()) subscription?.unsubscribe();
      held.dispose();
    },
  };
}
