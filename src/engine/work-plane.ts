/**
 * Composition of the work plane in the app: what is seen of queues, tasks and approvals, and what the operator does with them.
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer, type Disposable } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import type { QueuesState } from '../shared/contract/queues-contract.ts';
import type { DenialLog } from './access/denial-log.ts';
import type { ConnectionSwitch } from './connections/connection-switch.ts';
import type { EnvelopeReader } from './envelope/envelope-reader.ts';
import type { EnvelopeOpener } from './envelope/open-envelope.ts';
import { createStoredJudge, type StoredJudgeDeps } from './envelope/stored-judge.ts';
import type { TrustKnowledge } from './envelope/trust-knowledge.ts';
import type { ProfileSignatureCheck } from './envelope/workspace-trust.ts';
import type { KeyStore } from './identity/key-store.ts';
import { createRecordChecks } from './identity/signed-record.ts';
import { createStateReader } from './identity/state-values.ts';
import type { IncidentMemory } from './operations/incident-memory.ts';
import { createOperationsService, type OperationsServiceDeps } from './operations/operations-service.ts';
import type { OperatorPublishing } from './outbox/publish-stored.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Notifier } from './ports/notifier.ts';
import type { Randomness } from './ports/randomness.ts';
import type { SessionDirectory } from './sessions/session-directory.ts';
import type { SettingsFile } from './settings/settings-file.ts';
import type { SnapshotReaders } from './snapshots/snapshot-hub.ts';
import { createGoneSearching } from './work/approval-gone.ts';
import { createApprovalsService } from './work/approvals-service.ts';
import { createApprovalsState } from './work/approvals-state.ts';
import { createAskerWatch } from './work/asker-watch.ts';
import { createOperatorRight, type OperatorRight } from './work/operator-right.ts';
import { createPurgeProgress } from './work/purge-progress.ts';
import { createQueuesService } from './work/queues-service.ts';
import { queuesState } from './work/queues-state.ts';
import { createWorkWatch, type WorkWatch } from './work/work-watch.ts';

/** Snapshots of the work plane. */
type WorkSnapshot = 'approvals.state' | 'operations.state' | 'operations.lockedNews' | 'queues.state';

export interface WorkPlane extends Disposable {
  readonly services: Pick<Services<AppContract>, 'approvals' | 'operations' | 'queues'>;
  readonly readers: Pick<SnapshotReaders<AppContract>, WorkSnapshot>;
  readonly watch: WorkWatch;
  /** For what only an operator may do, whatever the view. */
  readonly right: OperatorRight;
  /** Something that it was not told of has changed: the supervisor. */
  changed(): void;
  /** Something else that may need an operator may have changed. */
  recount(): void;
}

export interface WorkPlaneDeps {
  readonly workspace: string;
  readonly connection: Pick<ConnectionSwitch, 'live' | 'engine' | 'current' | 'onChange'>;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly outbox: OperatorPublishing['outbox'];
  readonly gate: { readonly isOpen: boolean; onChange(listener: (isOpen: boolean) => void): Disposable };
  /** Who may be believed, as the profile knows it. */
  readonly trust: Omit<StoredJudgeDeps, 'workspace' | 'opener' | 'knowledge'> & {
    readonly knowledge: TrustKnowledge;
    readonly opener: EnvelopeOpener;
    readonly reader: EnvelopeReader;
    readonly resolve: ProfileSignatureCheck['resolve'];
  };
  /** Who was heard. */
  readonly sessions: Pick<SessionDirectory, 'ofPeer'>;
  readonly settings: SettingsFile;
  /** What outlives a start about incidents. */
  readonly incidents: IncidentMemory;
  /** What peers of this process were refused. */
  readonly denials: Pick<DenialLog, 'entries' | 'onChange'>;
  readonly notifier: Notifier;
  /** What else may be wrong; undefined while it is not known yet. */
  readonly alarmSources: OperationsServiceDeps['alarmSources'];
  /** The app's own supervisor. */
  readonly supervisor: () => QueuesState['supervisor'];
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly onChange: (name: WorkSnapshot) => void;
}

function createAskers({ sessions, connection: { live }, clock }: WorkPlaneDeps) {
  return createAskerWatch({ sessions, clock, isConnected: () => live.status().kind === 'connected' });
}

/** What changes as the work goes on. */
const workStates = ['queues.state', 'approvals.state', 'operations.state'] as const;

/** Builds it; it looks as soon as the key store is open and an engine is there. */
export function createWorkPlane(deps: WorkPlaneDeps): WorkPlane {
  const { workspace, connection, gate, trust, supervisor, clock, logger, onChange } = deps;
  const held = createDisposer();
  const { live, engine } = connection;
  const { reader, opener, checkSignature, resolve, knowledge } = trust;
  const judge = createStoredJudge({ ...trust, workspace });
  const state = createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve });
  const basis = (): number => {
    knowledge.look();
    return knowledge.version();
  };
  const changed = (): void => {
    operations.follow();
    for (const name of workStates) onChange(name);
  };
  const watch = held.add(
    createWorkWatch({
      ...{ workspace, live, engine, judge, reader, state, basis, clock, logger },
      ...{ isOpen: () => gate.isOpen, onChange: changed },
    }),
  );
  for (const one of [connection, gate]) held.add(one.onChange(watch.follow));
  const purges = createPurgeProgress(() => onChange('queues.state'));
  const queues = () => queuesState(watch, { supervisor: supervisor(), purges: purges.list() });
  const gone = createGoneSearching({ work: watch.work, askers: createAskers(deps) });
  const approvalsAt = createApprovalsState({ watch, gone });
  const approvals = () => approvalsAt(clock.now());
  const operations = held.add(
    createOperationsService({
      ...{ ...deps, bus: live.bus, memory: deps.incidents, watch, queues, approvals },
      destination: () => engine()?.destination,
      isLocked: () => !gate.isOpen,
      onChange: () => onChange('operations.state'),
      onLockedNews: () => onChange('operations.lockedNews'),
    }),
  );
  held.add(deps.settings.onChange(operations.follow));
  const right = createOperatorRight({ workspace, engine, keyStore: deps.keyStore, resolve, clock });
  const own = {
    ...{ ...deps, environment: connection.current, durable: live.durable, watch, right },
    ...{ judge, reader, opener, checkSignature, state, purges },
  };
  return {
    ...{ watch, right, changed, recount: operations.recount },
    services: {
      approvals: createApprovalsService({ ...own, gone, onChange: changed }),
      operations: operations.calls,
      queues: createQueuesService(own),
    },
    readers: {
      ...{ 'approvals.state': approvals, 'queues.state': queues },
      ...{ 'operations.state': operations.state, 'operations.lockedNews': operations.lockedNews },
    },
    dispose: () => held.dispose(),
  };
}
