/**
 * What is being done with queues: which dialog is open, and the calls behind the actions.
 * Law: a purge takes what the operator was asked about and no more; what was done is said, with what it leads to.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueuePurgeProgress } from '../../../shared/contract/queues-contract.ts';
import type { Confirmation } from '../../ui/guard-dialog.tsx';
import type { Workbench } from '../../workbench.tsx';
import { purgedWords } from './queue-words.ts';

/** What a purge would take. */
export interface PurgeQuestion {
  readonly queue: string;
  readonly count: number;
  /** Place of the last task that was counted. */
  readonly lastSeq: number;
}

export interface QueueWorkState {
  /** The open form; `queue`: the one that it begins with, null: none is chosen. */
  readonly enqueuing: { readonly queue: string | null } | undefined;
  readonly purging: PurgeQuestion | undefined;
}

export interface QueueWork {
  readonly store: StoreApi<QueueWorkState>;
  enqueue(queue: string | null): void;
  pause(queue: string): Promise<void>;
  resume(queue: string): Promise<void>;
  /** Counts what stands in the queue, and asks. */
  requestPurge(queue: string): Promise<void>;
  /** Purges what was asked about in that environment; what fails is reported. */
  purge(given: Confirmation, environment: string): Promise<void>;
  /** Ends a purge after the part that is under way, whichever window began it. */
  stopPurge(purge: Pick<QueuePurgeProgress, 'operationId' | 'queue'>): Promise<void>;
  close(): void;
}

export interface QueueWorkDeps extends Pick<Workbench, 'notify' | 'refuse' | 'reportError'> {
  readonly client: Pick<Workbench['client']['queues'], 'pause' | 'resume' | 'standing' | 'purge' | 'stopPurge'>;
  /** Why nothing can be changed here now; undefined: it can. */
  readonly whyNot: () => string | undefined;
}

type PurgeGiven = Confirmation & { readonly environment: string };

/** Creates it with no dialog open. */
export function createQueueWork({ client, whyNot, notify, refuse, reportError }: QueueWorkDeps): QueueWork {
  const store = createStore<QueueWorkState>(() => ({ enqueuing: undefined, purging: undefined }));

  async function resume(queue: string): Promise<void> {
    await client.resume({ queue });
    notify(`${visibleText(queue)} is resumed: workers claim from it again.`);
  }

  async function purgeAsked({ queue, count, lastSeq }: PurgeQuestion, given: PurgeGiven): Promise<void> {
    const { typed, reason, environment } = given;
    const asked = {
      ...{ queue, lastSeq, confirmedName: typed, environment },
      ...(reason === undefined ? {} : { reason }),
    };
    const { purgedCount } = await client.purge(asked);
    const { count: left } = await client.standing({ queue });
    notify(purgedWords({ queue: visibleText(queue), asked: count, purged: purgedCount, left }));
  }

  return {
    store,
    enqueue: (queue) => store.setState({ enqueuing: { queue } }),
    async pause(queue) {
      await client.pause({ queue });
      notify(`${visibleText(queue)} is paused: no worker claims from it until it is resumed.`, {
        ...{ label: 'Resume it', whyNot },
        run: () => void resume(queue).catch((error: unknown) => reportError(`Resume ${visibleText(queue)}`, error)),
      });
    },
    resume,
    async requestPurge(queue) {
      const { count, lastSeq } = await client.standing({ queue });
      if (count === 0) refuse(`Purge ${visibleText(queue)}: no task stands in it.`);
      else store.setState({ purging: { queue, count, lastSeq } });
    },
    async purge(given, environment) {
      const { purging } = store.getState();
      if (purging === undefined) return;
      store.setState({ purging: undefined });
      try {
        await purgeAsked(purging, { ...given, environment });
      } catch (error) {
        reportError(`Purge ${visibleText(purging.queue)}`, error);
      }
    },
    async stopPurge({ operationId, queue }) {
      try {
        await client.stopPurge({ operationId });
      } catch (error) {
        // It has ended while somebody pressed.
        if (!isVakError(error, 'not-found')) reportError(`Stop the purge of ${visibleText(queue)}`, error);
      }
    },
    close: () => store.setState({ enqueuing: undefined, purging: undefined }),
  };
}
