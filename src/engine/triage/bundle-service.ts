/**
 * The call of the Dead letters view that exports an incident bundle (product.md "Dead letters", docs/spec/triage.md D11).
 * Law: where it is written the person at the machine says, and nobody else; who may not put it on record gets none.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { BundleProgress, dlqContract } from '../../shared/contract/dlq-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { createUuid } from '../ports/randomness.ts';
import type { ActingOperator, OperatorRight } from '../work/operator-right.ts';
import type { BundleSources } from './bundle-contents.ts';
import { exportBundle } from './bundle-export.ts';
import type { LetterPlans } from './letter-plans.ts';
import { createLetterRecorder, type LetterRecorderDeps } from './letter-recorder.ts';
import type { KnownLetters } from './letter-report.ts';

export type BundleCalls = Pick<Services<{ readonly dlq: typeof dlqContract }>['dlq'], 'exportBundle'>;

export interface BundleServiceDeps extends LetterRecorderDeps {
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile'>;
  readonly plans: Pick<LetterPlans, 'take'>;
  readonly right: OperatorRight;
  /** What is known of the letters; undefined: no engine is in use. */
  readonly letters: () => KnownLetters | undefined;
  /** All but what is of the engine in use. */
  readonly sources: Omit<BundleSources, 'workspace' | 'durable' | 'known'>;
  /** Public nkey of the workspace's root; undefined: it is not known. */
  readonly root: () => string | undefined;
  /** Name of the context in use. */
  readonly environment: () => string;
  readonly onChange: () => void;
}

/** Disposing stops what is being written. */
export interface BundleService extends Disposable {
  readonly calls: BundleCalls;
  /** Those that are being written, oldest first. */
  exports(): readonly BundleProgress[];
  /** Stops one; whether there is one of that operation. */
  cancel(operationId: string): boolean;
}

const toldEveryMs = 250;
const title = 'Export the incident bundle';

interface Running extends BundleProgress {
  readonly stop: AbortController;
}

/** A name that sorts by time, in UTC. */
function defaultName(clock: Clock): string {
  const [day, time] = new Date(clock.now()).toISOString().split(/[T.]/);
  return `incident-${day}-${time?.replaceAll(':', '')}.vakbundle`;
}

/** What is being written. */
function createProgress({ clock, onChange }: Pick<BundleServiceDeps, 'clock' | 'onChange'>) {
  const running = new Map<string, Running>();
  let toldMs = Number.NEGATIVE_INFINITY;
  function tell(): void {
    toldMs = clock.monotonic();
    onChange();
  }
  return {
    begin(operationId: string, count: number): AbortSignal {
      const stop = new AbortController();
      running.set(operationId, { operationId, doneCount: 0, count, stop });
      tell();
      return stop.signal;
    },
    note(operationId: string, doneCount: number): void {
      const one = running.get(operationId);
      if (one !== undefined) running.set(operationId, { ...one, doneCount });
      if (clock.monotonic() - toldMs >= toldEveryMs) tell();
    },
    end(operationId: string): void {
      running.delete(operationId);
      tell();
    },
    all: () => [...running.values()].map(({ operationId, doneCount, count }) => ({ operationId, doneCount, count })),
    stop(operationId: string): boolean {
      const one = running.get(operationId);
      one?.stop.abort();
      return one !== undefined;
    },
    dispose(): void {
      for (const { stop } of running.values()) stop.abort();
    },
  };
}

/** Creates it. */
export function createBundleService(deps: BundleServiceDeps): BundleService {
  const { workspace, prompt, plans, right, letters, sources, root, environment, clock, randomness } = deps;
  const recorderOf = createLetterRecorder(deps);
  const progress = createProgress(deps);
  type Asked = Parameters<BundleCalls['exportBundle']>[0];

  async function write(asked: Asked, { peer, signer, durable }: ActingOperator, signal: AbortSignal) {
    const { planId, isRedacted, reason } = asked;
    const path = await prompt.chooseSaveFile({ title, defaultName: defaultName(clock) });
    const { letters: chosen, scope } = plans.take(planId, 'export');
    const known = letters();
    if (known === undefined)
      throw new VakError('conflict', 'export: no engine is in use any more; look at the letters again');
    const operationId = createUuid(clock, randomness);
    const stopped = progress.begin(operationId, chosen.length);
    try {
      const request = { letters: chosen, scope, operationId, environment: environment(), isRedacted, path };
      const { lineCount } = await exportBundle(
        { ...request, reason: reason === undefined || reason.trim() === '' ? undefined : reason, mayReplace: true },
        {
          ...{ sources: { ...sources, workspace, durable, known }, record: recorderOf({ peer }), peer, signer, clock },
          ...{ root: root() ?? null, signal: AbortSignal.any([signal, stopped]) },
          onProgress: (doneCount) => progress.note(operationId, doneCount),
        },
      );
      return { path, lineCount };
    } finally {
      progress.end(operationId);
    }
  }

  return {
    calls: {
      exportBundle: (asked, { signal }) => right.run('export', (operator) => write(asked, operator, signal)),
    },
    exports: progress.all,
    cancel: progress.stop,
    dispose: progress.dispose,
  };
}
