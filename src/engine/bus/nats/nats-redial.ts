/**
 * The way back after a loss, in place of the client library's own (protocol.md B8).
 * Law: it goes on for ever at a capped, jittered pace, asks for credentials before each try, and ends with its signal or a final refusal.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { pause } from '../../wait.ts';
import { dial } from './nats-dial.ts';
import { type ClientCertificate, endedEarly, toVakError } from './nats-errors.ts';
import type { ClientInternals } from './nats-internals.ts';
import type { NatsLogin } from './nats-login.ts';
import type { NatsTiming } from './nats-options.ts';

export interface RedialDeps {
  readonly internals: ClientInternals;
  readonly login: NatsLogin;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timing: NatsTiming;
  readonly isTlsDemanded: boolean;
  readonly certificate: ClientCertificate;
  /** Ends it, and any try under way. */
  readonly signal: AbortSignal;
  /** `cause`: what the socket or the server said; undefined if nothing. */
  readonly onLost: (cause: unknown) => void;
  readonly onAttempt: (count: number) => void;
  readonly onFailed: (error: VakError) => void;
  readonly onUp: () => void;
  readonly onFinal: (error: VakError) => void;
}

/** How long to wait before the try of this number, from 1, ms: none, then doubled up to the cap, ± 25 %. */
export function backoffMs(attempt: number, timing: NatsTiming, randomness: Randomness): number {
  if (attempt <= 1) return 0;
  const whole = Math.min(timing.backoffCapMs, timing.backoffFromMs * 2 ** Math.min(attempt - 2, 20));
  return whole * (0.75 + (randomness.bytes(1)[0] ?? 0) / 510);
}

/** Throws `tls-required` for a connection in clear where TLS was demanded; it is ended. */
export function checkEncrypted(internals: ClientInternals, isTlsDemanded: boolean): void {
  if (!isTlsDemanded || internals.transport.isEncrypted()) return;
  internals.transport.socket?.destroy();
  throw new VakError('tls-required', 'connect: the connection is not encrypted, though TLS was asked for');
}

/** What the library calls after each loss; it rejects when the connection is to be closed. */
export function createRedial(deps: RedialDeps): () => Promise<void> {
  const { internals, login, clock, timing, signal } = deps;
  let upSinceMs = clock.monotonic();
  /** Tries of earlier outages that came too soon after each other: a server that lets us in and throws us out is no reason to hurry. */
  let earlier = 0;

  function checkAlive(): void {
    if (signal.aborted) throw new VakError('closed', 'connect: the connection is closed');
  }

  async function tryOnce(): Promise<void> {
    await login.renew();
    try {
      const server = internals.selectServer();
      if (server === undefined) throw new VakError('disconnected', 'connect: no server is left', { retryable: true });
      await dial(() => internals._doDial(server), {
        ...{ clock, signal },
        onDead: () => internals.connectError?.(endedEarly(deps.certificate)),
      });
      checkEncrypted(internals, deps.isTlsDemanded);
    } finally {
      login.shut();
    }
  }

  /** Notes the loss. */
  function begin(): void {
    const cause = internals.transport.closeError ?? internals.lastError;
    checkAlive();
    deps.onLost(cause);
    login.restart(cause);
    if (clock.monotonic() - upSinceMs >= timing.backoffCapMs) earlier = 0;
  }

  /** Throws what ends the way back; other failures are told. */
  function judge(thrown: unknown): void {
    checkAlive();
    const error = toVakError(thrown, 'connect', deps.isTlsDemanded);
    deps.onFailed(error);
    if (!login.isFinal(error)) return;
    deps.onFinal(error);
    throw error;
  }

  return async () => {
    begin();
    for (let attempt = 1; ; attempt++) {
      await pause(clock, backoffMs(earlier + attempt, timing, deps.randomness), signal);
      checkAlive();
      deps.onAttempt(attempt);
      try {
        await tryOnce();
      } catch (thrown) {
        judge(thrown);
        continue;
      }
      // What was said against earlier tries stays otherwise, and would explain the next outage.
      internals.lastError = undefined;
      upSinceMs = clock.monotonic();
      earlier += attempt;
      deps.onUp();
      return;
    }
  };
}
