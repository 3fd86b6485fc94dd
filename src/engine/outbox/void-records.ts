/**
 * Publishes the void records of a peer's refused envelopes (protocol.md E12).
 * Law: each refusal of the peer's own chains is followed by exactly one signed record, across restarts; a refused record by none.
 */

import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { DurableAuthor } from './durable-author.ts';
import type { Outbox, Refusal } from './outbox.ts';

export interface VoidRecordsDeps {
  readonly workspace: string;
  readonly peer: string;
  /** The peer's author of kind d. */
  readonly author: DurableAuthor;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

/** After a record could not be written (locked keys, a full disk), so long until it is tried again. */
const tryAgainMs = 30_000;
const maxReasonLength = 256;

/** Publishes what is owed and what becomes so, until it is disposed. */
export function createVoidRecords(deps: VoidRecordsDeps): Disposable {
  const { workspace, peer, author, outbox, clock, randomness, logger } = deps;
  const subject = buildSubject({ plane: 'audit', workspace, entity: peer, verb: 'void' });
  let timer: Disposable | undefined;
  let isBusy = false;
  let isDisposed = false;

  function isOurs({ source, isVoidOwed }: Refusal): boolean {
    const parts = parseSource(source);
    return isVoidOwed && parts?.ws === workspace && parts.peer === peer;
  }

  function publish({ source, seq, leaf, error, number }: Refusal): Promise<unknown> {
    const reason = `${error.code}: ${error.message}`.slice(0, maxReasonLength);
    const payload = utf8(JSON.stringify(checkPayload('vak.audit.void', { source, seq, leaf, reason })));
    return author.publish({ subject, payload, trace: startTrace(randomness.bytes) }, { settles: number });
  }

  /** One after the other in the order of the refusals: each is read anew from the outbox, which knows what is still owed. */
  async function publishAll(): Promise<void> {
    for (let next = outbox.refusals().find(isOurs); next !== undefined; next = outbox.refusals().find(isOurs)) {
      if (isDisposed) return;
      await publish(next);
    }
  }

  function tryLater(error: unknown): void {
    if (isVakError(error)) logger.warn('outbox.void', { code: error.code });
    else logger.bug('outbox.void', error);
    if (isDisposed) return;
    timer = clock.setTimer(tryAgainMs, begin);
  }

  function begin(): void {
    if (isBusy || isDisposed) return;
    timer?.dispose();
    timer = undefined;
    isBusy = true;
    void publishAll()
      .catch(tryLater)
      .finally(() => {
        isBusy = false;
        // One that came while the last look found nothing more.
        if (timer === undefined && outbox.refusals().some(isOurs)) begin();
      });
  }

  const listening = outbox.onRefused(begin);
  begin();
  return {
    dispose() {
      isDisposed = true;
      listening.dispose();
      timer?.dispose();
    },
  };
}
