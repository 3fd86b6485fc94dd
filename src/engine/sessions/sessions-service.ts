/**
 * What can be said to the peer of a session that this app has not started (protocol.md §1, A2, B8).
 * Law: it goes to the peer's inbox, signed by the operator; what the peer does with it is the peer's to say.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { OperatorOutbox } from '../outbox/operator-outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { settlesWithin } from '../wait.ts';
import type { SessionDirectory } from './session-directory.ts';

export interface SessionsServiceDeps {
  readonly workspace: string;
  readonly sessions: Pick<SessionDirectory, 'peerOf'>;
  readonly outbox: Pick<OperatorOutbox, 'publish'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** How long the answer of the stream is waited for, ms. */
const answerMs = 5_000;

/** Creates the calls of the sessions contract. */
export function createSessionsService(deps: SessionsServiceDeps): Services<AppContract>['sessions'] {
  const { workspace, sessions, outbox, clock, randomness } = deps;
  return {
    async signal({ session, signal }) {
      const peer = sessions.peerOf(session);
      if (peer === null) {
        throw new VakError('not-found', 'signal: nobody has said whose session it is; wait until it was heard from');
      }
      const message = checkPayload('vak.agent.message', { kind: 'signal', signal, session });
      const { envelope, stored } = await outbox.publish({
        subject: buildSubject({ plane: 'agent', workspace, entity: peer, verb: 'inbox' }),
        type: 'vak.agent.message',
        payload: utf8(JSON.stringify(message)),
        trace: startTrace(randomness.bytes),
      });
      const isAnswered = await settlesWithin(clock, answerMs, stored);
      // Why it was refused for good is the answer.
      if (isAnswered) await stored;
      return { id: envelope.id, isStored: isAnswered };
    },
  };
}
