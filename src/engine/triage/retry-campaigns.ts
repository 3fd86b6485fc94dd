/**
 * The retry campaigns of a workspace, those of earlier processes among them (docs/spec/triage.md D6–D9).
 * Law: what a campaign may touch is fixed when it begins; each is worked on by one process, and survives it.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CampaignState } from '../../shared/contract/dlq-contract.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { maxTaskBytes } from '../../shared/protocol/task-limits.ts';
import { createUuid } from '../ports/randomness.ts';
import { createDeferred, pause, settlesWithin } from '../wait.ts';
import { checkForWorker } from '../work/enqueue-task.ts';
import { createRunningClaims, requestCancel } from './campaign-cancel.ts';
import type { CampaignPorts } from './campaign-place.ts';
import { type CampaignItem, type CampaignRecord, campaignState, maxCampaignItems } from './campaign-record.ts';
import { type CampaignRun, createCampaignRun } from './campaign-run.ts';
import type { CampaignStore } from './campaign-store.ts';

/** A letter as a plan has frozen it. */
export interface PlannedLetter {
  readonly seq: number;
  readonly taskLeaf: string;
  readonly fingerprint: string;
  readonly queue: string;
}

/** What a plan has frozen (D6). */
export interface RetryPlan {
  readonly items: readonly PlannedLetter[];
  readonly environment: string;
  /** The last place that it may hold. */
  readonly cutoffSeq: number;
  /** For people: what it is about; says how many letters it has unless told. */
  readonly title?: string;
}

export interface RetryOptions {
  readonly isCanary: boolean;
  /** 0.1–1000. */
  readonly ratePerSec: number;
  /** Another queue than their own (retarget). */
  readonly queue?: string | undefined;
  readonly reason?: string | undefined;
}

export interface EditOptions extends Pick<RetryOptions, 'queue' | 'reason'> {
  /** The new payload, whole. */
  readonly data: Uint8Array;
}

export interface RetryCampaigns {
  /**
   * Begins a campaign; resolves when it is on disk. Throws `conflict` (another environment), `invalid-input`, `limit-exceeded` (too many,
   * or too slow), and why nothing can be retried now: `locked`, `disconnected`, `read-only`, `forbidden`.
   */
  begin(plan: RetryPlan, options: RetryOptions): Promise<{ readonly operationId: string }>;
  /** Retries one letter with another payload. Throws as `begin`, `invalid-payload` if no worker could run it. */
  edit(plan: RetryPlan, options: EditOptions): Promise<{ readonly operationId: string; readonly taskId: string }>;
  /**
   * What has not begun does not begin. One that this process works on ends at once; of any other it is put on record, and holds for
   * whoever works on it (D8). Throws `not-found`, `conflict` (it has ended), what publishing throws, and why nothing can be recorded now.
   */
  cancel(operationId: string, reason?: string): Promise<void>;
  /** Running ones first, then the newest; at most 20. */
  states(): readonly CampaignState[];
  state(operationId: string): CampaignState | undefined;
  /** Whether it has ended, and all that is known of it is on record; nothing of it need be waited for. */
  isOver(operationId: string): boolean;
  /** What came of each letter; undefined: it is not at work here. */
  items(operationId: string): readonly Readonly<CampaignItem>[] | undefined;
  /** Keys, connection or grants have changed. */
  follow(): void;
  /** Takes up what earlier processes left, now and from time to time. Resolves when it was looked for once. */
  resume(): Promise<void>;
  /** Leaves everything as it is on disk. */
  close(): Promise<void>;
}

export interface RetryCampaignsDeps extends CampaignPorts {
  readonly store: CampaignStore;
  /** Name of the context in use. */
  readonly environment: () => string;
  /** Told when a campaign has changed; the caller bounds its rate. */
  readonly onChange: () => void;
}

const maxShown = 20;
/** So long it may take at its rate, ms. */
const maxDurationMs = 8 * 3_600_000;
const resumeEveryMs = 10_000;
const closeMs = 2_000;

const copiedWhy =
  'It was begun in another copy of this profile, which may be at it: it goes on there, or cancel it and retry the rest.';

const countWords = (count: number): string => `${count} ${count === 1 ? 'letter' : 'letters'}`;

function refuse(code: 'conflict' | 'invalid-input' | 'limit-exceeded', field: string, message: string): VakError {
  return new VakError(code, message, { details: { field } });
}

function checkItems({ items }: RetryPlan, ratePerSec: number): void {
  const count = items.length;
  if (count === 0) throw refuse('invalid-input', 'items', 'retry: there are no letters to retry; select some');
  if (new Set(items.map(({ seq }) => seq)).size < count) {
    throw refuse('invalid-input', 'items', 'retry: a letter is in the plan twice; plan again');
  }
  if (count > maxCampaignItems) {
    const message = `retry: ${countWords(count)}, one campaign takes at most ${maxCampaignItems}; narrow the filter`;
    throw refuse('limit-exceeded', 'items', message);
  }
  if ((count / ratePerSec) * 1000 <= maxDurationMs) return;
  const hours = maxDurationMs / 3_600_000;
  const message = `retry: ${countWords(count)} at ${ratePerSec}/s take longer than ${hours} h; take a higher rate, or fewer letters`;
  throw refuse('limit-exceeded', 'ratePerSec', message);
}

/** Throws `invalid-payload` unless a worker could run it, `limit-exceeded` if it is too large. */
function checkEdited(data: Uint8Array): void {
  if (data.length > maxTaskBytes) {
    const message = `edit: ${data.length} bytes, a task has at most ${maxTaskBytes}; pass less in it`;
    throw new VakError('limit-exceeded', message, { details: { field: 'data', limit: maxTaskBytes } });
  }
  checkForWorker(decodePayload('vak.work.task', data));
}

interface Known {
  readonly state: CampaignState;
  readonly isSettled: boolean;
}

/** Creates it; nothing is taken up before `resume`. */
export function createRetryCampaigns(deps: RetryCampaignsDeps): RetryCampaigns {
  const { workspace, store, environment, clock, randomness, logger, onChange } = deps;
  const runs = new Map<string, CampaignRun>();
  /** Of earlier ones, and of other processes. */
  const known = new Map<string, Known>();
  const working = new Set<Promise<void>>();
  const taken = new Set<string>();
  const ending = new AbortController();
  let isResuming = false;

  function keep(
    record: CampaignRecord,
    waitingWhy = 'Another process works on it, or it is taken up in a moment.',
  ): void {
    known.set(record.operationId, {
      state: campaignState(record, { step: null, waitingWhy }),
      isSettled: record.isSettled,
    });
    onChange();
  }

  function track(work: Promise<void>): void {
    const done: Promise<void> = work
      .catch((error: unknown) => {
        if (isVakError(error)) logger.warn('triage.campaign', { code: error.code, message: error.message });
        else logger.bug('triage.campaign', error);
      })
      .finally(() => working.delete(done));
    working.add(done);
  }

  async function work(run: CampaignRun): Promise<void> {
    const { operationId } = run.record;
    runs.set(operationId, run);
    try {
      await run.work(ending.signal);
    } finally {
      keep(run.record);
      runs.delete(operationId);
      onChange();
    }
  }

  function runOf(record: CampaignRecord, more: { isResumed: boolean; edited: Uint8Array | undefined }): CampaignRun {
    return createCampaignRun({ ...deps, ...more, record, onChange });
  }

  /** It is this process's now. */
  async function goOn(operationId: string, onListed: () => void): Promise<void> {
    const record = await store.get(operationId);
    if (record?.workspace !== workspace) return;
    if (record.isSettled) {
      keep(record);
      return;
    }
    if (!(await store.isHere(record))) {
      keep(record, copiedWhy);
      return;
    }
    const working = work(runOf(record, { isResumed: true, edited: undefined }));
    onListed();
    await working;
  }

  /** Takes up what an earlier process left, unless another one works on it. `onListed`: what it is can be told. */
  async function takeUp(operationId: string, onListed: () => void): Promise<void> {
    try {
      await store.hold(operationId, () => goOn(operationId, onListed));
    } catch (error) {
      if (!isVakError(error, 'already-running')) throw error;
      const record = await store.get(operationId);
      if (record?.workspace === workspace) keep(record);
    } finally {
      taken.delete(operationId);
      onListed();
    }
  }

  async function takeUpAll(): Promise<void> {
    const listed: Promise<void>[] = [];
    for (const operationId of await store.ids()) {
      if (taken.has(operationId) || known.get(operationId)?.isSettled === true) continue;
      taken.add(operationId);
      listed.push(new Promise((resolve) => track(takeUp(operationId, resolve))));
    }
    await Promise.all(listed);
  }

  async function resumeAll(onLooked: () => void): Promise<void> {
    while (!ending.signal.aborted) {
      await takeUpAll().catch((error: unknown) => {
        if (!isVakError(error)) throw error;
        logger.warn('triage.campaigns', { code: error.code, message: error.message });
      });
      onLooked();
      await pause(clock, resumeEveryMs, ending.signal);
    }
  }

  async function open(
    plan: RetryPlan,
    options: RetryOptions & { readonly kind: CampaignRecord['kind']; readonly edited?: Uint8Array },
  ): Promise<CampaignRun> {
    const { items, cutoffSeq, title = countWords(items.length) } = plan;
    const { kind, isCanary, ratePerSec, queue = null, reason = '', edited } = options;
    if (queue !== null) checkToken(queue, 'queue');
    checkItems(plan, ratePerSec);
    const { peer, destination } = await deps.place();
    if (plan.environment !== environment()) {
      const message = 'retry: the connection was changed since it was planned; look again, and plan anew';
      throw refuse('conflict', 'environment', message);
    }
    const nowMs = clock.now();
    const record: CampaignRecord = {
      ...{ v: 1, operationId: createUuid(clock, randomness), workspace, destination, peer, kind, queue },
      ...{ environment: plan.environment, title: title.slice(0, 1024), cutoffSeq, isCanary, ratePerSec },
      ...{ reason: reason.trim() === '' ? null : reason, startedMs: nowMs, changedMs: nowMs, state: 'running' },
      ...{ why: null, isEndTold: false, isSettled: false, slots: [], streak: { fingerprint: '', count: 0 } },
      items: items.map(({ seq, taskLeaf, fingerprint, queue: own }) => ({
        ...{ seq, taskLeaf, fingerprint, queue: own, taskId: createUuid(clock, randomness), outcome: 'requested' },
        ...{ told: null, leaf: null, place: null, failedWith: null, why: null },
      })),
    };
    const run = runOf(record, { isResumed: false, edited });
    const added = createDeferred<void>();
    taken.add(record.operationId);
    // Held before it is there: nobody else takes it up.
    const working = store.hold(record.operationId, async () => {
      await store.add(record);
      added.resolve();
      await work(run);
    });
    working.catch(added.reject);
    track(working);
    await added.promise;
    return run;
  }

  function shown(): CampaignState[] {
    const own = [...runs.values()].map((run) => run.state());
    const others = [...known].filter(([id]) => !runs.has(id)).map(([, { state }]) => state);
    const isLive = ({ state }: CampaignState): number => (state === 'running' || state === 'waiting' ? 1 : 0);
    return [...own, ...others].sort((a, b) => isLive(b) - isLive(a) || b.startedMs - a.startedMs);
  }

  return {
    async begin(plan, options) {
      const kind = options.queue === undefined ? 'retry' : 'retarget';
      const { record } = await open(plan, { ...options, kind });
      return { operationId: record.operationId };
    },
    async edit(plan, { data, ...options }) {
      checkEdited(data);
      if (plan.items.length !== 1) throw refuse('invalid-input', 'items', 'edit: it takes one letter at a time');
      const edited = Uint8Array.from(data);
      const { record } = await open(plan, { ...options, kind: 'edit', isCanary: false, ratePerSec: 1, edited });
      return { operationId: record.operationId, taskId: record.items[0]?.taskId ?? '' };
    },
    async cancel(operationId, reason) {
      const run = runs.get(operationId);
      if (run !== undefined) {
        run.cancel();
        return;
      }
      const found = known.get(operationId);
      if (found?.isSettled === true) return;
      const place = await deps.place();
      const claims = createRunningClaims(place, deps);
      await requestCancel({ operationId, reason, knownBy: found?.state.by }, { place, claims, ports: deps });
    },
    states: () => shown().slice(0, maxShown),
    state: (operationId) => runs.get(operationId)?.state() ?? known.get(operationId)?.state,
    isOver: (operationId) => runs.get(operationId)?.isOver() ?? known.get(operationId)?.isSettled === true,
    items: (operationId) => runs.get(operationId)?.record.items,
    follow() {
      for (const run of runs.values()) run.wake();
    },
    async resume() {
      if (isResuming) return;
      isResuming = true;
      const looked = createDeferred<void>();
      track(resumeAll(looked.resolve));
      await looked.promise;
    },
    async close() {
      ending.abort();
      await settlesWithin(clock, closeMs, Promise.allSettled(working));
    },
  };
}
