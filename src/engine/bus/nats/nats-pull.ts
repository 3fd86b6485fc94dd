/**
 * One pull from a consumer: what it brings, and how it ended (protocol.md B4, B8).
 * Law: it ends within its time whatever the server does, and nothing that the server has delivered on it is dropped.
 */
import type { Msg } from 'nats';
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NatsAsks } from './nats-asks.ts';
import { type DeliveryPlace, placeOf } from './nats-stored-message.ts';

export interface PullRequest {
  readonly stream: string;
  readonly consumer: string;
  readonly batch: number;
  /** How long the server keeps it; 0: what it has now. */
  readonly waitMs: number;
  /** How long nothing may come at all before it is ended here; without it the server's time decides. */
  readonly firstQuietMs?: number;
  /** How long nothing more may come after a first message before it is ended here; without it it stands until its time or batch is over. */
  readonly quietMs?: number;
  readonly maxBytes?: number;
  /** Called with each message as it comes. */
  readonly onPulled?: (pulled: Pulled) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Pulled {
  readonly message: Msg;
  readonly place: DeliveryPlace;
}

/**
 * `done`: the server said that this is all, or it is. `silent`: it said nothing; the consumer may have gone.
 * A status of the server: 409 (consumer deleted, or a limit of it), 503 (nobody there).
 */
export type PullEnding = 'done' | 'silent' | 409 | 503;

export interface PullResult {
  readonly messages: readonly Pulled[];
  readonly ending: PullEnding;
}

/** After its time, how long the server may take to say that the time is over. */
const graceMs = 500;
const heartbeatMs = 1_000;
const drainTimeoutMs = 2_000;
const nanosPerMs = 1_000_000;
const encoder = new TextEncoder();

function bodyOf({ batch, waitMs, maxBytes }: PullRequest, heartbeat: number): Uint8Array {
  return encoder.encode(
    JSON.stringify({
      batch,
      ...(waitMs === 0 ? { no_wait: true } : { expires: Math.ceil(waitMs) * nanosPerMs }),
      ...(heartbeat === 0 ? {} : { idle_heartbeat: heartbeat * nanosPerMs }),
      ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
    }),
  );
}

/**
 * Pulls once. Rejects with `aborted` (what came until then is handed to `onOrphan`, as is what comes while it ends),
 * `disconnected`, `closed`, `unauthorized`.
 */
export function pullOnce(
  { asks, clock }: { readonly asks: NatsAsks; readonly clock: Clock },
  request: PullRequest,
  onOrphan: (message: Msg) => void = () => {},
): Promise<PullResult> {
  const { batch, waitMs, firstQuietMs, quietMs, signal } = request;
  const where = `consumer ${request.stream}/${request.consumer}`;
  const heartbeat = waitMs >= 200 && firstQuietMs === undefined ? Math.min(heartbeatMs, Math.floor(waitMs / 2)) : 0;
  /** Within it the server says something, were it that there is nothing. */
  const aliveMs = heartbeat === 0 ? waitMs + graceMs : heartbeat * 2 + graceMs;
  return new Promise<PullResult>((resolve, reject) => {
    // Throws, and so rejects, without a connection.
    const next = `$JS.API.CONSUMER.MSG.NEXT.${request.stream}.${request.consumer}`;
    const flow = asks.flow({
      ...{ where, asks: next, onMessage: (message) => onMessage(message) },
      onEnd: (error) => fail(error),
    });
    const held = createDisposer();
    const messages: Pulled[] = [];
    let isEnding = false;
    let isOver = false;
    let timer: Disposable | undefined;

    const settle = (act: () => void): void => {
      if (isOver) return;
      isOver = true;
      timer?.dispose();
      held.dispose();
      act();
    };
    const finish = (ending: PullEnding): void => settle(() => resolve({ messages, ending }));
    const fail = (error: unknown): void => {
      for (const { message } of messages) onOrphan(message);
      settle(() => reject(error));
    };
    /** Ends the pull on the server first, and takes what was under way. */
    const finishDrained = (ending: PullEnding): void => {
      if (isEnding) return;
      isEnding = true;
      restartTimer(drainTimeoutMs, () => finish(ending));
      void flow.drain().then(() => finish(messages.length > 0 ? 'done' : ending));
    };
    const restartTimer = (delayMs: number, run: () => void): void => {
      timer?.dispose();
      timer = clock.setTimer(delayMs, run);
    };
    const onStatus = (code: number): void => {
      if (code === 100) restartTimer(aliveMs, () => finishDrained('silent'));
      else if (code === 409 || code === 503) finish(code);
      else finish('done');
    };
    const onDelivery = (message: Msg, place: DeliveryPlace): void => {
      messages.push({ message, place });
      request.onPulled?.({ message, place });
      if (messages.length === batch) finish('done');
      else if (isEnding) return;
      else if (quietMs === undefined) restartTimer(aliveMs, () => finishDrained('silent'));
      else if (place.pendingCount === 0) finishDrained('done');
      else restartTimer(quietMs, () => finishDrained('done'));
    };
    const onMessage = (message: Msg): void => {
      const place = placeOf(message.reply);
      if (place !== undefined) {
        if (isOver) onOrphan(message);
        else onDelivery(message, place);
      } else if (message.headers !== undefined && !isOver) onStatus(message.headers.code);
    };
    const abort = (): void => {
      if (isOver) return;
      isEnding = true;
      void flow.drain();
      fail(new VakError('aborted', `${where}: the pull was cancelled`));
    };

    held.defer(() => {
      if (!isEnding) flow.dispose();
    });
    if (signal !== undefined) {
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      held.defer(() => signal.removeEventListener('abort', abort));
    }
    restartTimer(firstQuietMs ?? aliveMs, () => finishDrained('silent'));
    try {
      asks.tell(next, bodyOf(request, heartbeat), flow.inbox);
    } catch (thrown) {
      fail(thrown);
    }
  });
}
