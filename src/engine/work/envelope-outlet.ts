/**
 * A session's way out: each event becomes an envelope and goes to the bus (protocol.md E8, E12).
 * Law: what cannot be sealed or signed is not published, and that is told; once the bus is closed, saying is silently over.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import type { EnvelopeAuthor } from '../envelope/envelope-author.ts';
import type { Logger } from '../ports/logger.ts';
import type { SessionOutlet } from './session-publisher.ts';

/** What the outlet is made of. */
export interface EnvelopeOutletDeps {
  readonly bus: Pick<Bus, 'publish' | 'whenWritable'>;
  readonly author: Pick<EnvelopeAuthor, 'publish'>;
  readonly logger: Logger;
  /** Told once, at the first event that could not be published: why, for people. From then on the session's story has a hole. */
  readonly onFailure: (reason: string) => void;
}

export interface EnvelopeOutlet extends SessionOutlet {
  /** Events that could not be published. */
  readonly lostCount: number;
}

/** Creates the outlet of one session. After a failure it goes on trying, so that the end can still be told, but takes no bulk. */
export function createEnvelopeOutlet({ bus, author, logger, onFailure }: EnvelopeOutletDeps): EnvelopeOutlet {
  let lostCount = 0;

  function fail(subject: string, thrown: unknown): void {
    if (++lostCount > 1) return;
    const reason = isVakError(thrown) ? thrown.message : `see its log: ${logger.bug('session.publish', thrown)}`;
    const code = isVakError(thrown) ? thrown.code : 'internal';
    logger.error('session.publish-failed', { subject, code, message: reason });
    onFailure(reason);
  }

  return {
    get lostCount() {
      return lostCount;
    },
    publish(subject, payload, trace) {
      try {
        author.publish({ subject, payload, trace }, (bytes) => bus.publish(subject, bytes));
      } catch (thrown) {
        if (!isVakError(thrown, 'closed')) fail(subject, thrown);
      }
    },
    async isWritable() {
      if (lostCount > 0) return false;
      try {
        await bus.whenWritable();
        return true;
      } catch (error) {
        if (!isVakError(error, 'closed')) throw error;
        return false;
      }
    },
  };
}
