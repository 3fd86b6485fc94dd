/**
 * Composition of dead-letter triage in the app: what is known of dead letters, and what the operator does about them.
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import { createStoredJudge, type StoredJudge } from './envelope/stored-judge.ts';
import type { MessageBuffer } from './feeds/message-buffer.ts';
import type { KeyStoreContents } from './identity/key-store.ts';
import type { Pins } from './identity/pins.ts';
import { createRecordChecks } from './identity/signed-record.ts';
import { createStateReader } from './identity/state-values.ts';
import type { OperatorOutbox } from './outbox/operator-outbox.ts';
import type { GrantLookup } from './ports/directory.ts';
import type { OperatorPrompt } from './ports/operator-prompt.ts';
import type { SnapshotReaders } from './snapshots/snapshot-hub.ts';
import { createTraceService } from './trace/trace-service.ts';
import { type BundleService, type BundleServiceDeps, createBundleService } from './triage/bundle-service.ts';
import { type BundlesService, createBundlesService } from './triage/bundles-service.ts';
import { createCampaignStore } from './triage/campaign-store.ts';
import { createHeardMessages } from './triage/heard-messages.ts';
import { createLetterAnswers } from './triage/letter-answers.ts';
import { createLetterPlans } from './triage/letter-plans.ts';
import { createLetterWatch } from './triage/letter-watch.ts';
import { createLettersService } from './triage/letters-service.ts';
import { createRetryCampaigns } from './triage/retry-campaigns.ts';
import { createOperatorPlace, createRetryService } from './triage/retry-service.ts';
import { joinCampaigns } from './triage/told-campaigns.ts';
import { createOperatorRight } from './work/operator-right.ts';
import type { WorkWatch } from './work/work-watch.ts';
import type { WorkPlaneDeps } from './work-plane.ts';

export interface TriagePlane {
  /** Ends it; campaigns go on after the next start. */
  close(): Promise<void>;
  readonly services: Pick<Services<AppContract>, 'dlq' | 'bundles' | 'trace'>;
  readonly readers: Pick<SnapshotReaders<AppContract>, 'dlq.state' | 'bundles.state'>;
}

export interface TriagePlaneDeps
  extends Pick<
    WorkPlaneDeps,
    'workspace' | 'connection' | 'keyStore' | 'gate' | 'trust' | 'clock' | 'randomness' | 'logger'
  > {
  readonly outbox: WorkPlaneDeps['outbox'] & Pick<OperatorOutbox, 'publish' | 'slot' | 'kept'>;
  /** Grants of the workspace, as the profile has them. */
  readonly grants: GrantLookup;
  /** Cards as the profile has pinned them. */
  readonly pins: Pick<Pins, 'state'>;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile' | 'chooseOpenFile'>;
  /** `campaigns` of the profile. */
  readonly folder: string;
  /** What passed on the bus. */
  readonly buffer: MessageBuffer;
  /** What is known of the work: its list of records that do not count is the one for dead letters too. */
  readonly work: Pick<WorkWatch, 'work'>;
  readonly onChange: () => void;
  /** A bundle was opened or closed, or is being looked through. */
  readonly onBundles: () => void;
}

/** So long the outcomes of a campaign are waited for when all of it is published, ms. */
const patienceMs = 24 * 3_600_000;

const rootIn = ({ workspaces }: KeyStoreContents, name: string): string | undefined =>
  workspaces.find(({ workspace }) => workspace === name)?.rootPublic;

function storeOf({ folder, clock, randomness, logger }: TriagePlaneDeps) {
  const report = ({ message }: { readonly message: string }) => logger.warn('profile.damaged', { message });
  return createCampaignStore({ folder, clock, randomness, report });
}

/** Exports of bundles, by the profile's root. */
function createBundles(
  { workspace, outbox, keyStore, prompt, onChange }: TriagePlaneDeps,
  parts: Omit<BundleServiceDeps, 'workspace' | 'outbox' | 'prompt' | 'root' | 'onChange'>,
): BundleService {
  const root = () => (keyStore.state().kind === 'unlocked' ? rootIn(keyStore.read(), workspace) : undefined);
  return createBundleService({ ...parts, workspace, outbox, prompt, root, onChange });
}

/** Bundles of others, by what this profile knows; closed while the key store is. */
function createOpenings({
  keyStore,
  pins,
  prompt,
  clock,
  randomness,
  onBundles,
}: Pick<TriagePlaneDeps, 'keyStore' | 'pins' | 'prompt' | 'clock' | 'randomness' | 'onBundles'>): BundlesService {
  return createBundlesService({
    ...{ prompt, clock, randomness, onChange: onBundles, isOpen: () => keyStore.state().kind === 'unlocked' },
    rootOf: (name) => (keyStore.state().kind === 'unlocked' ? rootIn(keyStore.read(), name) : undefined),
    isPinned({ ws, peer, sign }) {
      const pinned = pins.state({ ws, peer });
      return pinned.kind === 'pinned' && pinned.card.sign === sign;
    },
  });
}

/** What judges the messages and values of the workspace, and names what it judges by. */
function readersOf({ workspace, trust }: Pick<TriagePlaneDeps, 'workspace' | 'trust'>) {
  const { resolve, knowledge } = trust;
  return {
    judge: createStoredJudge({ ...trust, workspace }),
    state: createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve }),
    basis(): number {
      knowledge.look();
      return knowledge.version();
    },
  };
}

/** Traces and chains; a root is known while the key store is open. */
function createTraces(deps: TriagePlaneDeps, judge: StoredJudge) {
  const { workspace, connection, keyStore, gate, trust, buffer, clock, prompt, grants } = deps;
  return createTraceService({
    ...{ workspace, durable: connection.live.durable, buffer, judge, clock, prompt, grants },
    ...{ reader: trust.reader, checkSignature: trust.checkSignature },
    rootOf: (name) => (gate.isOpen ? rootIn(keyStore.read(), name) : undefined),
  });
}

/** Builds it; it looks as soon as the key store is open and an engine is there. */
export function createTriagePlane(deps: TriagePlaneDeps): TriagePlane {
  const { workspace, connection, keyStore, outbox, gate, trust, buffer, clock, randomness, logger, onChange } = deps;
  const held = createDisposer();
  const { live, engine } = connection;
  const { reader, opener, checkSignature, resolve } = trust;
  const { judge, state, basis } = readersOf(deps);
  const refusals = () => deps.work.work()?.refusals;
  const watch = held.add(
    createLetterWatch({
      ...{ workspace, live, engine, judge, reader, state, basis, clock, logger, onChange },
      isOpen: () => gate.isOpen,
      onRefused: ({ isSound, ...refused }) => refusals()?.note(refused, isSound),
      onTakenBack: (proven) => refusals()?.takeBack(proven),
    }),
  );
  const answers = createLetterAnswers({ letters: watch.letters, opener, clock });
  const own = { clock, randomness, environment: connection.current, destination: () => engine()?.destination };
  const plans = createLetterPlans({ ...own, whyLeftOut: answers.whyLeftOut });
  const letter = (seq: number) => watch.letters()?.book.get(seq);
  const right = createOperatorRight({ workspace, engine, keyStore, resolve, clock });
  const campaigns = createRetryCampaigns({
    ...{ ...own, workspace, judge, reader, basis, logger, onChange, patienceMs },
    place: createOperatorPlace({ right, outbox, engine }),
    store: storeOf(deps),
    whyNot(seq) {
      const known = letter(seq);
      return known === undefined ? undefined : answers.whyLeftOut(known, 'retry');
    },
  });
  const heard = createHeardMessages({ workspace, buffer, reader });
  const sources = { judge, reader, opener, checkSignature, look: answers.look, heard, grants: deps.grants };
  const bundles = held.add(createBundles(deps, { ...own, right, plans, letters: watch.letters, sources }));
  const shownCampaigns = () =>
    joinCampaigns(
      campaigns.states(),
      watch.letters()?.told.states(clock.now()) ?? [],
      (operationId) => campaigns.state(operationId) !== undefined,
    );
  const letters = createLettersService({
    ...{ ...own, workspace, durable: live.durable, judge, reader, opener, checkSignature, state },
    ...{ watch, answers, plans, outbox, right, heard, campaigns: shownCampaigns, exports: bundles.exports },
  });
  const retry = createRetryService({
    ...{ ...own, campaigns, plans, right, letter, whyLeftOut: answers.whyLeftOut, cancelExport: bundles.cancel },
  });
  const follow = (): void => {
    watch.follow();
    campaigns.follow();
  };
  const openings = held.add(createOpenings(deps));
  const trace = createTraces(deps, judge);
  for (const one of [connection, gate]) held.add(one.onChange(follow));
  held.add(gate.onChange((isOpen) => isOpen || openings.lock()));
  void campaigns.resume();
  return {
    services: { dlq: { ...letters.calls, ...retry, ...bundles.calls }, bundles: openings.calls, trace },
    readers: { 'dlq.state': letters.state, 'bundles.state': openings.state },
    async close() {
      await campaigns.close();
      held.dispose();
    },
  };
}
