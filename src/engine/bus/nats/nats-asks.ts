/**
 * Questions to the server and their answers, over one inbox (protocol.md B8, B10).
 * Law: each question is settled once: by its answer, its time, its signal, a refusal, or the loss of the connection, which says at once
 * that its outcome is unknown.
 */
import { Events, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from 'nats';
import { type Disposable, toDisposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { maxMessageBytes } from '../bus.ts';
import { deniedError, toVakError } from './nats-errors.ts';
import { createForgeryWatch } from './nats-forgeries.ts';
import { internalsOf } from './nats-internals.ts';
import { createTokens } from './nats-tokens.ts';
import { createSignalWatch } from './signal-watch.ts';

export interface NatsAsksDeps {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told of answers that were forged, once a second at most. */
  readonly onForged?: ((error: VakError) => void) | undefined;
  /** What the connection's own inboxes begin with (A4); without it `_INBOX`. */
  readonly inboxPrefix?: string;
}

export interface AskOptions {
  readonly headers?: MsgHdrs;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether it can be the answer: another may hear the question, and answer first (A23). One that cannot is given only when the time is over. */
  readonly isAnswer?: (message: Msg) => boolean;
  /** Nobody forges these: so long an answer may still come after one that is none. */
  readonly graceMs?: number;
}

/** Messages that the server sends to an inbox of their own until it is ended. */
export interface NatsFlow extends Disposable {
  readonly inbox: string;
  /** Ends it; what was under way has come when this resolves. */
  drain(): Promise<void>;
}

export interface FlowListener {
  /** What it is for, in errors. */
  readonly where: string;
  /** The subject on which what comes there is asked for: if the server refuses that, nothing comes. */
  readonly asks: string;
  readonly onMessage: (message: Msg) => void;
  /** Nothing comes any more, because the connection was lost, or closed, or the subscription refused. */
  readonly onEnd: (error: VakError) => void;
}

export interface NatsAsks {
  /** Sends and gives the first answer; one of a status, such as 503 (nobody there), too. Throws `timeout`, `disconnected`, `closed`, `aborted`, `unauthorized`, `limit-exceeded`. */
  ask(subject: string, data: Uint8Array, options: AskOptions): Promise<Msg>;
  /** Sends without an answer. Throws as `ask` does. */
  tell(subject: string, data: Uint8Array, reply?: string): void;
  /** The largest message that the server takes, header and all. */
  maxPayloadBytes(): number;
  /** Opens an inbox. Throws `disconnected`, `closed`. */
  flow(listener: FlowListener): NatsFlow;
  close(): void;
}

interface Pending {
  readonly subject: string;
  deadline: number;
  readonly timeoutMs: number;
  readonly resolve: (message: Msg) => void;
  readonly reject: (error: VakError) => void;
  readonly release: () => void;
  readonly isAnswer: ((message: Msg) => boolean) | undefined;
  readonly graceMs: number | undefined;
  /** The first that cannot be the answer. */
  suspect: Msg | undefined;
}

const sweepMs = 50;

const lost = (where: string): VakError =>
  new VakError('disconnected', `${where}: the connection to the server was lost; whether it was done is not known`, {
    retryable: true,
  });
const ended = (where: string): VakError => new VakError('closed', `${where}: the connection was closed`);
const refused = (where: string): VakError => deniedError('publish', where);

/** Starts listening to a connection; the caller closes it. The connection stays open then. */
export function createNatsAsks(deps: NatsAsksDeps): NatsAsks {
  const { connection: client, clock } = deps;
  const internals = internalsOf(client);
  const pending = new Map<string, Pending>();
  const flows = new Map<(error: (where: string) => VakError) => void, string>();
  const signals = createSignalWatch();
  const newToken = createTokens(deps.randomness);
  const newInbox = (): string => `${deps.inboxPrefix ?? '_INBOX'}.${newToken()}`;
  const base = newInbox();
  const forgeries = createForgeryWatch({ clock, onForged: deps.onForged });
  let answers: Subscription | undefined;
  let sweeper: Disposable | undefined;
  let isClosed = false;

  const settle = (token: string, act: (entry: Pending) => void): void => {
    const entry = pending.get(token);
    if (entry === undefined) return;
    pending.delete(token);
    entry.release();
    if (pending.size === 0) {
      sweeper?.dispose();
      sweeper = undefined;
    }
    act(entry);
  };
  const rejectWhere = (
    isMeant: (entry: Pending) => boolean,
    error: (where: string, entry: Pending) => VakError,
  ): void => {
    for (const [token, entry] of [...pending]) {
      if (isMeant(entry)) settle(token, ({ reject, subject }) => reject(error(subject, entry)));
    }
  };
  const endAll = (error: (where: string) => VakError): void => {
    rejectWhere(() => true, error);
    for (const end of [...flows.keys()]) end(error);
  };
  const sweep = (): void => {
    const now = clock.monotonic();
    for (const [token, { deadline, suspect }] of [...pending])
      if (deadline <= now && suspect !== undefined) settle(token, ({ resolve }) => resolve(suspect));
    rejectWhere(
      ({ deadline }) => deadline <= now,
      (where, { timeoutMs }) =>
        new VakError('timeout', `${where}: no answer within ${timeoutMs} ms`, { retryable: true }),
    );
  };
  const take = (token: string, message: Msg): void => {
    const entry = pending.get(token);
    if (entry === undefined) {
      forgeries.late(token, message);
      return;
    }
    const { subject, isAnswer, graceMs } = entry;
    const isDoubtful = isAnswer !== undefined && graceMs === undefined;
    if (isAnswer?.(message) === false) {
      entry.suspect ??= message;
      if (isDoubtful) forgeries.found(subject);
      else entry.deadline = Math.min(entry.deadline, clock.monotonic() + (graceMs ?? 0));
      return;
    }
    if (isDoubtful) forgeries.answered(token, { subject, data: message.data });
    settle(token, ({ resolve }) => resolve(message));
  };
  const listen = (): void => {
    if (answers !== undefined) return;
    answers = client.subscribe(`${base}.*`, {
      callback(error, message) {
        if (error === null) return take(message.subject.slice(base.length + 1), message);
        answers = undefined;
        rejectWhere(() => true, refused);
      },
    });
  };
  const check = (where: string): void => {
    if (isClosed || client.isClosed()) throw ended(where);
    if (!internals.connected) throw lost(where);
  };
  const send = (subject: string, data: Uint8Array, options: { reply?: string; headers?: MsgHdrs }): void => {
    check(subject);
    try {
      client.publish(subject, data, options);
    } catch (thrown) {
      throw toVakError(thrown, subject);
    }
  };

  /** What asked for something on a subject that the server refuses gets nothing. */
  const refuse = (denied: string): void => {
    rejectWhere(({ subject }) => subject === denied, refused);
    for (const [end, asked] of [...flows]) if (asked === denied) end(() => refused(asked));
  };
  const watch = async (): Promise<void> => {
    for await (const { type, permissionContext } of client.status()) {
      if (type === Events.Disconnect) endAll(lost);
      else if (type === Events.Error && permissionContext?.operation === 'publish') refuse(permissionContext.subject);
    }
  };
  const shut = (): void => {
    if (isClosed) return;
    isClosed = true;
    endAll(ended);
    sweeper?.dispose();
    if (answers !== undefined && !client.isClosed()) answers.unsubscribe();
  };
  void watch();
  void client.closed().then(shut);

  return {
    ask(subject, data, { headers, timeoutMs, signal, isAnswer, graceMs }) {
      return new Promise<Msg>((resolve, reject) => {
        if (signal?.aborted === true) return reject(new VakError('aborted', `${subject}: cancelled`));
        try {
          check(subject);
          listen();
        } catch (thrown) {
          return reject(thrown);
        }
        const token = newToken();
        const abort = (): void =>
          settle(token, (entry) => entry.reject(new VakError('aborted', `${subject}: cancelled`)));
        const listening = signal === undefined ? undefined : signals.add(signal, abort);
        const release = (): void => listening?.dispose();
        pending.set(token, {
          ...{ subject, timeoutMs, resolve, reject, release, isAnswer, graceMs, suspect: undefined },
          deadline: clock.monotonic() + timeoutMs,
        });
        sweeper ??= clock.setTicker(sweepMs, sweep);
        try {
          send(subject, data, { reply: `${base}.${token}`, ...(headers === undefined ? {} : { headers }) });
        } catch (thrown) {
          settle(token, () => reject(thrown));
        }
      });
    },
    maxPayloadBytes: () => client.info?.max_payload ?? maxMessageBytes,
    tell(subject, data, reply) {
      send(subject, data, reply === undefined ? {} : { reply });
    },
    flow({ where, asks, onMessage, onEnd }) {
      check(where);
      const inbox = newInbox();
      let isOver = false;
      const end = (error: (where: string) => VakError): void => {
        if (isOver) return;
        isOver = true;
        flows.delete(end);
        if (!subscription.isClosed() && !client.isClosed()) subscription.unsubscribe();
        onEnd(error(where));
      };
      const subscription = client.subscribe(inbox, {
        callback(error, message) {
          if (error === null) onMessage(message);
          else end(refused);
        },
      });
      flows.set(end, asks);
      const stop = toDisposable(() => {
        isOver = true;
        flows.delete(end);
        if (!subscription.isClosed() && !client.isClosed()) subscription.unsubscribe();
      });
      return {
        inbox,
        async drain() {
          try {
            if (!subscription.isClosed() && internals.connected) await subscription.drain();
          } catch {
            // The connection went meanwhile: nothing more can come, which is all that was asked for.
          }
          stop.dispose();
        },
        dispose: () => stop.dispose(),
      };
    },
    close: shut,
  };
}
