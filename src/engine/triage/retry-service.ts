/**
 * The calls of the Dead letters view that retry (product.md "Dead letters", docs/spec/triage.md D6–D9).
 * Law: a campaign takes the letters of a plan, and no others; who may not retry is told before the plan is used up.
 */
import { fromBase64 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { dlqContract } from '../../shared/contract/dlq-contract.ts';
import type { OperatorOutbox } from '../outbox/operator-outbox.ts';
import type { OperatedEngine, OperatorRight } from '../work/operator-right.ts';
import type { CampaignPlace } from './campaign-place.ts';
import type { LetterEntry } from './letter-book.ts';
import type { LetterPlans, PlannedAction } from './letter-plans.ts';
import type { PlannedLetter, RetryCampaigns } from './retry-campaigns.ts';

export type RetryCalls = Pick<Services<{ readonly dlq: typeof dlqContract }>['dlq'], 'retry' | 'editRetry' | 'cancel'>;

export interface RetryServiceDeps {
  readonly campaigns: Pick<RetryCampaigns, 'begin' | 'edit' | 'cancel'>;
  readonly plans: Pick<LetterPlans, 'take'>;
  readonly right: OperatorRight;
  readonly letter: (seq: number) => LetterEntry | undefined;
  readonly whyLeftOut: (letter: LetterEntry, action: PlannedAction) => string | undefined;
  readonly environment: () => string;
  /** Stops a bundle that is being written; whether there is one of that operation. */
  readonly cancelExport: (operationId: string) => boolean;
}

/** A letter as a campaign takes it. */
export function plannedLetter({ seq, taskLeaf, cause, queue }: LetterEntry): PlannedLetter {
  return { seq, taskLeaf, fingerprint: cause.id, queue };
}

/** Creates the calls. */
export function createRetryService(deps: RetryServiceDeps): RetryCalls {
  const { campaigns, plans, right, letter, whyLeftOut, environment, cancelExport } = deps;

  function letterAt(seq: number): LetterEntry {
    const found = letter(seq);
    if (found === undefined) {
      throw new VakError('not-found', `dead letter ${seq}: it is not known here; it may not count, or not be read yet`);
    }
    const why = whyLeftOut(found, 'retry');
    if (why === undefined) return found;
    throw new VakError('conflict', `dead letter ${seq}: it cannot be retried: ${why}`, { details: { seq } });
  }

  return {
    retry: ({ planId, isCanary, ratePerSec, queue, reason }) =>
      right.run('retry', async () => {
        const { letters, cutoffSeq, scope: title } = plans.take(planId, 'retry');
        // As they failed: the oldest first.
        const items = letters.map(plannedLetter).sort((a, b) => a.seq - b.seq);
        const plan = { items, cutoffSeq, title, environment: environment() };
        return await campaigns.begin(plan, { isCanary, ratePerSec, queue, reason });
      }),
    editRetry: ({ seq, data, queue, reason }) =>
      right.run('edit', async () => {
        const found = letterAt(seq);
        const plan = { items: [plannedLetter(found)], cutoffSeq: seq, environment: environment() };
        const title = `dead letter ${seq}`;
        return await campaigns.edit({ ...plan, title }, { data: fromBase64(data, 'data'), queue, reason });
      }),
    async cancel({ operationId }) {
      if (cancelExport(operationId)) return;
      await right.run('cancel', () => campaigns.cancel(operationId));
    },
  };
}

export interface OperatorPlaceDeps {
  readonly right: OperatorRight;
  readonly outbox: Pick<OperatorOutbox, 'publish' | 'slot' | 'kept'>;
  readonly engine: () => (OperatedEngine & { readonly destination: string }) | undefined;
}

/** Where campaigns of the app work: the engine in use, as its operator. */
export function createOperatorPlace({ right, outbox, engine }: OperatorPlaceDeps): () => Promise<CampaignPlace> {
  return () =>
    right.run('retry', async ({ peer, durable }) => {
      const [inUse, slot] = [engine(), outbox.slot()];
      if (inUse === undefined || slot === undefined || inUse.fabric.durable !== durable) {
        const message = 'retry: there is no engine to publish to yet; it goes on when the connection is there';
        throw new VakError('disconnected', message, { retryable: true });
      }
      const { destination } = inUse;
      return {
        ...{ destination, peer, durable, slot, kept: outbox.kept },
        publish: (draft) => outbox.publish(draft, { destination }),
      };
    });
}
