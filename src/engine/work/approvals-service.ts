/**
 * The calls of the Approvals view (product.md "Approvals", protocol.md W8).
 * Law: an answer is the operator's word, signed and bound to its request; it is told only when it is known to count.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { type OperatorPublishing, publishAsOperator } from '../outbox/publish-stored.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { answerApproval, checkAnswering } from './approval-answer.ts';
import type { GoneSearching } from './approval-gone.ts';
import type { OperatorRight } from './operator-right.ts';
import type { WorkWatch } from './work-watch.ts';

export interface ApprovalsServiceDeps {
  readonly workspace: string;
  readonly watch: Pick<WorkWatch, 'readApprovals'>;
  readonly gone: GoneSearching;
  readonly right: OperatorRight;
  readonly outbox: OperatorPublishing['outbox'];
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told when more is known of the approvals. */
  readonly onChange: () => void;
}

const words = { list: 'Approvals', reason: 'reason' };

/** Creates the calls of the approvals contract. */
export function createApprovalsService(deps: ApprovalsServiceDeps): Services<AppContract>['approvals'] {
  const { workspace, watch, gone, right, outbox, clock, randomness, onChange } = deps;
  return {
    async answer({ requestId, decision, reason: given }, { signal }) {
      const reason = given?.trim() === '' ? undefined : given;
      const answering = { requestId, decision, reason };
      checkAnswering(answering, words);
      await right.run('answer', async () => {
        const reading = watch.readApprovals();
        if (reading === undefined) {
          const message = 'answer: there is no connection now; answer again when it is there';
          throw new VakError('disconnected', message, { retryable: true });
        }
        try {
          await answerApproval(answering, {
            ...{ workspace, reading, clock, randomness, words },
            goneOf: gone(),
            async publish(draft) {
              const { appended } = await publishAsOperator(draft, { outbox, clock, signal });
              return appended.seq;
            },
          });
        } finally {
          onChange();
        }
      });
    },
  };
}
