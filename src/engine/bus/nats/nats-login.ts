/**
 * The credentials of one connection from try to try, and when a refusal is final (protocol.md B8).
 * Law: whoever gives credentials is asked before each try; two refusals in a row of credentials that have not expired end it.
 */
import type { Auth } from 'nats';
import type { Disposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { type NatsAuth, type OpenCredentials, openCredentials } from './nats-auth.ts';
import { isExpiry } from './nats-errors.ts';
import type { NatsOptions } from './nats-options.ts';

const finalRefusals = 2;

export interface NatsLogin {
  /** Gets the credentials of the next try. Throws what the giver throws, `invalid-input`, `invalid-payload`, `locked`. */
  renew(): Promise<void>;
  /** For CONNECT. Never throws. */
  answer(nonce: string | undefined): Auth;
  /** Erases those of the last try. */
  shut(): void;
  /** Whether the credentials of the last try say themselves that they have expired. */
  hasExpired(): boolean;
  /** The server ended the connection, or has taken the credentials: counting begins anew. */
  restart(cause: unknown): void;
  /** Whether there is no use in a further try. */
  isFinal(error: VakError): boolean;
}

/** `limitMs`: how long the giver may take. */
export function createNatsLogin(auth: NatsOptions['auth'], clock: Clock, limitMs: number): NatsLogin {
  let open: OpenCredentials | undefined;
  let expiresMs: number | undefined;
  let refusals = 0;
  let isAfterExpiry = false;
  const hasExpired = (): boolean => expiresMs !== undefined && expiresMs <= clock.now();

  async function ask(): Promise<NatsAuth | undefined> {
    if (typeof auth !== 'function') return auth;
    let timer: Disposable | undefined;
    const late = new Promise<never>((_, reject) => {
      const message = `connect: no credentials were given within ${limitMs} ms`;
      timer = clock.setTimer(limitMs, () => reject(new VakError('timeout', message, { retryable: true })));
    });
    try {
      return await Promise.race([auth(), late]);
    } finally {
      timer?.dispose();
    }
  }
  function shut(): void {
    open?.dispose();
    open = undefined;
  }

  return {
    async renew() {
      const given = await ask();
      shut();
      open = openCredentials(given);
      ({ expiresMs } = open);
    },
    answer: (nonce) => open?.answer(nonce),
    shut,
    hasExpired,
    restart(cause) {
      refusals = 0;
      isAfterExpiry = isExpiry(cause);
    },
    isFinal(error) {
      if (error.code !== 'unauthorized') return false;
      // A server answers an expired JWT as it answers a wrong one.
      if (isAfterExpiry || isExpiry(error.cause) || hasExpired()) return false;
      refusals++;
      return refusals >= finalRefusals;
    },
  };
}
