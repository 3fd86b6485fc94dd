/**
 * The calls of the Dead letters view that read, archive and say something of groups (product.md "Dead letters").
 * Law: what changes something is the operator's word, signed and on record; a bulk action goes by a plan, on the engine it was made for.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type {
  BundleProgress,
  CampaignState,
  dlqContract,
  LetterReport,
  LettersState,
} from '../../shared/contract/dlq-contract.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { StateReader } from '../identity/state-values.ts';
import type { OperatorPublishing } from '../outbox/publish-stored.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import type { OperatorRight } from '../work/operator-right.ts';
import { surroundingsOf } from './bundle-surroundings.ts';
import { sayOfGroup } from './group-states.ts';
import { archiveLetters, isReadOnRecord, readAction } from './letter-acts.ts';
import type { LetterAnswers } from './letter-answers.ts';
import { aroundOf } from './letter-around.ts';
import type { LetterEntry } from './letter-book.ts';
import type { LetterPlans } from './letter-plans.ts';
import { createLetterRecorder } from './letter-recorder.ts';
import { type LetterReportDeps, reportLetter } from './letter-report.ts';
import type { LetterWatch } from './letter-watch.ts';
import { readStoredLetter, type StoredLetter } from './stored-letter.ts';

/** Those of the contract that campaigns and bundles do not serve. */
export type LetterCalls = Omit<
  Services<{ readonly dlq: typeof dlqContract }>['dlq'],
  'retry' | 'editRetry' | 'cancel' | 'exportBundle'
>;

export interface LettersServiceDeps extends Omit<LetterReportDeps, 'look'> {
  readonly watch: Pick<LetterWatch, 'letters' | 'problem'>;
  readonly answers: LetterAnswers;
  readonly plans: LetterPlans;
  readonly opener: Pick<EnvelopeOpener, 'open'>;
  readonly state: StateReader;
  readonly right: OperatorRight;
  readonly outbox: OperatorPublishing['outbox'];
  /** Name of the context in use. */
  readonly environment: () => string;
  /** The engine in use; undefined: there is none. */
  readonly destination: () => string | undefined;
  /** Running ones first; none unless told. */
  readonly campaigns?: () => readonly CampaignState[];
  /** Bundles that are being written; none unless told. */
  readonly exports?: () => readonly BundleProgress[];
  readonly clock: Clock;
  readonly randomness: Randomness;
}

export interface LettersService {
  readonly calls: LetterCalls;
  state(): LettersState;
}

const maxCampaigns = 20;
/** Readings that are remembered as on record. */
const maxReads = 10_000;
const readAgainMs = 10 * 60_000;

/** An opened task, or why there is none. */
function openTask({ task }: StoredLetter, opener: LettersServiceDeps['opener']): OpenedPayload {
  if ('problem' in task) {
    return { kind: 'failed', failure: { kind: 'malformed', why: `${task.problem.message}.`, culprit: null } };
  }
  const { reading, data } = task;
  return reading.kind === 'envelope'
    ? opener.open(reading.envelope)
    : { kind: 'opened', bytes: data, wasSealed: false };
}

/** Remembers who opened what, until the stream says so. */
function createReads({ clock, destination }: LettersServiceDeps) {
  const reads = createBoundedCache<number>(maxReads);
  const keyOf = (peer: string, seq: number): string => `${destination()} ${peer} ${seq}`;
  return {
    has: (peer: string, seq: number): boolean =>
      clock.monotonic() - (reads.get(keyOf(peer, seq)) ?? Number.NEGATIVE_INFINITY) < readAgainMs,
    note: (peer: string, seq: number): void => reads.set(keyOf(peer, seq), clock.monotonic()),
  };
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

/** Creates the calls and the snapshot. */
export function createLettersService(deps: LettersServiceDeps): LettersService {
  const { workspace, watch, answers, plans, opener, state, right, environment, campaigns, exports, clock, randomness } =
    deps;
  const recorderOf = createLetterRecorder(deps);
  const reads = createReads(deps);
  const newId = (): string => createUuid(clock, randomness);

  function entryOf(seq: number): LetterEntry {
    const found = watch.letters()?.book.get(seq);
    if (found !== undefined) return found;
    throw new VakError('not-found', `dead letter ${seq}: it is not known here; it may not count, or not be read yet`);
  }

  async function report(seq: number): Promise<LetterReport> {
    const entry = entryOf(seq);
    const letters = watch.letters();
    if (letters === undefined) throw new VakError('not-found', `dead letter ${seq}: no engine is in use any more`);
    return await reportLetter(entry, letters, { ...deps, look: answers.look });
  }

  async function putReadOnRecord({ seq, queue }: LetterEntry): Promise<void> {
    await right.run('open', async (operator) => {
      const { peer } = operator;
      const audit = watch.letters()?.ledger.auditOf(seq) ?? [];
      if (reads.has(peer, seq) || isReadOnRecord(audit, peer, clock.now())) return;
      await recorderOf(operator)(readAction({ seq, queue }, newId()));
      reads.note(peer, seq);
    });
  }

  async function open(seq: number): Promise<OpenedPayload> {
    const entry = entryOf(seq);
    const opened = openTask(await readStoredLetter(seq, deps), opener);
    if (opened.kind === 'opened') await putReadOnRecord(entry);
    return opened;
  }

  async function setArchived(
    isArchived: boolean,
    { planId, reason }: { readonly planId: string; readonly reason?: string | undefined },
    signal: AbortSignal,
  ) {
    const doing = isArchived ? 'archive' : 'restore';
    return await right.run(doing, async (operator) => {
      const { letters, scope } = plans.take(planId, doing);
      const operationId = newId();
      const own = { letters, scope, isArchived, operationId, environment: environment(), signal };
      const request = { ...own, reason: isBlank(reason) ? undefined : reason };
      return { operationId, count: await archiveLetters(request, recorderOf(operator)) };
    });
  }

  function stateNow(): LettersState {
    const letters = watch.letters();
    const { readCount, streamCount } = letters?.progress() ?? { readCount: 0, streamCount: 0 };
    return {
      ...{ readAtMs: letters?.readAtMs() ?? null, problem: watch.problem(), version: letters?.version() ?? 0 },
      ...{ readCount, streamCount, forgottenCount: letters?.book.forgottenCount() ?? 0, ...answers.totals() },
      refusedStates: letters?.refusedStates() ?? [],
      campaigns: campaigns?.().slice(0, maxCampaigns) ?? [],
      exports: exports?.() ?? [],
    };
  }

  return {
    state: stateNow,
    calls: {
      groups: (asked) => answers.groups(asked),
      page: (asked) => answers.page(asked),
      letter: ({ seq }) => report(seq),
      async around({ seq }) {
        const letter = await report(seq);
        const { lines, sealedCount } = surroundingsOf(letter, deps.heard, opener);
        return aroundOf(lines, { session: letter.session, sealedCount });
      },
      open: ({ seq }) => open(seq),
      plan: ({ selection, action }) => plans.make({ ...answers.select(selection), action }),
      archive: (asked, { signal }) => setArchived(true, asked, signal),
      restore: (asked, { signal }) => setArchived(false, asked, signal),
      async setGroup({ fingerprint, uptoSeq, ...change }) {
        await right.run('group', async ({ peer, signer, durable }) => {
          const upto = uptoSeq ?? watch.letters()?.book.newestOf(fingerprint) ?? 0;
          await sayOfGroup(
            { fingerprint, ...change, uptoSeq: upto },
            { workspace, peer, signer, durable, reader: state, clock },
          );
        });
      },
    },
  };
}
