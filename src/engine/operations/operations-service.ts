/**
 * Operations Center: incidents, totals of the work plane, what is muted, and what the desktop is told (product.md "Operations Center").
 * Law: it shows what the book says; acknowledging and muting change nothing of the work itself.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { ApprovalReport, ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type {
  AskedPlace,
  Incident,
  IncidentPlace,
  MuteState,
  OperationsState,
  WorkTotals,
} from '../../shared/contract/operations-contract.ts';
import type { QueuesState } from '../../shared/contract/queues-contract.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { listText } from '../../shared/settings/setting-keys.ts';
import type { DenialLog } from '../access/denial-log.ts';
import type { Bus } from '../bus/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { SettingsFile } from '../settings/settings-file.ts';
import type { WorkWatch } from '../work/work-watch.ts';
import { type Alert, approvalsId, createAlertNotifier, severalId } from './alert-notifier.ts';
import { createIncidentDesk } from './incident-desk.ts';
import { type IncidentFacts, toneOf } from './incident-facts.ts';
import type { IncidentMemory } from './incident-memory.ts';
import { incidentWords, noticeWords } from './incident-words.ts';
import { createLockedAsking } from './locked-asking.ts';
import { isMuted, muteStateOf, withPart } from './mute-rules.ts';

type Calls = Services<AppContract>['operations'];

export interface OperationsService extends Disposable {
  readonly calls: Calls;
  state(): OperationsState;
  /** Looks at what the watch knows now: after each of its looks, and when keys, connection or settings have changed. */
  follow(): void;
}

export interface OperationsServiceDeps {
  readonly workspace: string;
  readonly watch: Pick<WorkWatch, 'work' | 'onTask'>;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly destination: () => string | undefined;
  readonly queues: () => QueuesState;
  readonly approvals: () => ApprovalsState;
  readonly denials: Pick<DenialLog, 'entries' | 'onChange'>;
  readonly memory: IncidentMemory;
  readonly settings: Pick<SettingsFile, 'settings' | 'set' | 'delete'>;
  readonly notifier: Notifier;
  readonly isLocked: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
}

const minuteMs = 60_000;
/** However often a peer is refused, it is looked at once in so long, ms. */
const denialMs = 500;
const maxName = 64;
/** So many are told apart while nobody can read them. */
const maxLockedAlerts = 100;

function totalsOf({ queues }: QueuesState, { pending, leftOutCount }: ApprovalsState): WorkTotals {
  const sum = (figure: (queue: QueuesState['queues'][number]) => number): number =>
    queues.reduce((all, queue) => all + figure(queue), 0);
  return {
    lag: sum(({ lag }) => lag),
    inPerSec: sum(({ inPerSec }) => inPerSec),
    outPerSec: sum(({ outPerSec }) => outPerSec),
    doneCount: sum(({ outcomes }) => outcomes.done + outcomes['finished-late']),
    deadCount: sum(({ outcomes }) => outcomes.dead),
    lostCount: sum(({ outcomes }) => outcomes.lost),
    pendingApprovalCount: pending.length + leftOutCount,
  };
}

/** Lag of all queues together; their histories have one length. */
function lagsOf({ queues }: QueuesState): readonly number[] {
  const [first] = queues;
  return (first?.lagHistory ?? []).map((_, at) => queues.reduce((all, one) => all + (one.lagHistory[at] ?? 0), 0));
}

function placeOf({ detail, queue, session }: IncidentFacts): IncidentPlace {
  if (detail.kind === 'refused-approval') return { kind: 'approvals' };
  if (detail.kind === 'denied') return { kind: 'access' };
  if (queue !== null) return { kind: 'queue', queue };
  return session === null ? { kind: 'none' } : { kind: 'session', session };
}

function incidentOf(facts: IncidentFacts, muted: MuteState): Incident {
  const { id, detail, queue, firstMs, lastMs, count, isStanding, acknowledgedMs } = facts;
  return {
    ...{ id, kind: detail.kind, tone: toneOf(detail.kind), ...incidentWords(facts), queue, place: placeOf(facts) },
    ...{ firstMs, lastMs, count, isStanding },
    acknowledged: acknowledgedMs === null ? null : { atMs: acknowledgedMs },
    isMuted: isMuted(muted, detail.kind, queue),
  };
}

/** What of an approval is not sealed: who asks, and for a task of which queue. */
function approvalAlert({ requestId, peer, queue }: ApprovalReport): Alert {
  const title = `${visibleText(peer).slice(0, maxName)} asks for approval`;
  const body =
    queue === null ? 'Open the approvals to see what for.' : `Queue ${visibleText(queue).slice(0, maxName)}.`;
  return { id: `${approvalsId}${requestId}`, kind: 'approval', title, body };
}

function alertsOf(incidents: readonly IncidentFacts[], pending: readonly ApprovalReport[], muted: MuteState): Alert[] {
  const isLoud = ({ detail, queue, acknowledgedMs }: IncidentFacts): boolean =>
    acknowledgedMs === null && toneOf(detail.kind) === 'bad' && !isMuted(muted, detail.kind, queue);
  return [
    ...incidents.filter(isLoud).map((one): Alert => ({ id: one.id, kind: one.detail.kind, ...noticeWords(one) })),
    ...pending.filter(({ queue }) => !isMuted(muted, 'approval', queue)).map(approvalAlert),
  ];
}

/** Creates the service; it learns of the work from the watch. */
export function createOperationsService(deps: OperationsServiceDeps): OperationsService {
  const { watch, queues, approvals, denials, settings, notifier, isLocked, clock, logger, onChange } = deps;
  const held = createDisposer();
  const onProblem = (error: unknown): void => {
    logger.warn('operations.not-kept', { message: error instanceof Error ? error.message : typeof error });
  };
  const desk = createIncidentDesk({ ...deps, alerts: () => settings.settings().alerts, onProblem });
  const mutes = (): MuteState => muteStateOf(settings.settings().notifications, clock.now());
  const alerts = held.add(
    createAlertNotifier({
      ...{ notifier, clock, isLocked },
      isOn: () => settings.settings().notifications.desktop && mutes().untilMs === null,
    }),
  );
  let asked: AskedPlace | null = null;
  let askedCount = 0;
  let badge = 0;
  /** Heard of since the key store was locked. */
  let lockedAlerts: readonly Alert[] = [];

  function openCount(muted: MuteState): number {
    const isCounted = ({ detail, queue, acknowledgedMs }: IncidentFacts): boolean =>
      acknowledgedMs === null && !isMuted(muted, detail.kind, queue);
    return desk.book().list().filter(isCounted).length;
  }

  function showBadge(): void {
    const muted = mutes();
    const { pending, leftOutCount } = approvals();
    const waiting = pending.filter(({ queue }) => !isMuted(muted, 'approval', queue)).length;
    // Of those beyond the list no queue is known; as long as any of the others counts, they do.
    const count = openCount(muted) + waiting + (waiting > 0 ? leftOutCount : 0);
    if (count === badge) return;
    badge = count;
    notifier.setBadge(count);
  }

  function tell(): void {
    if (!desk.isSettled()) alerts.begin();
    if (!isLocked()) lockedAlerts = [];
    const muted = mutes();
    const unread = isMuted(muted, 'approval', null) ? [] : lockedAlerts;
    alerts.follow([...alertsOf(desk.book().list(), approvals().pending, muted), ...unread]);
    showBadge();
    onChange();
  }

  function follow(): void {
    const refused = watch.work()?.refusedWork;
    const refusedWork = { count: refused?.count() ?? 0, newest: refused?.newest() ?? [] };
    desk.noteLook({ queues: queues(), approvals: approvals(), refusedWork });
    tell();
  }

  function ask(id: string): void {
    const at = ++askedCount;
    if (id === severalId) asked = { kind: 'operations', at };
    else asked = id.startsWith(approvalsId) ? { kind: 'approvals', at } : { kind: 'incident', id, at };
    onChange();
  }

  held.add(
    createLockedAsking({
      ...{ bus: deps.bus, workspace: deps.workspace, isLocked },
      onAsked(alert) {
        lockedAlerts = [...lockedAlerts, alert].slice(-maxLockedAlerts);
        tell();
      },
    }),
  );
  held.add(watch.onTask(({ record }) => desk.noteTask(record)));
  let denialTimer: Disposable | undefined;
  const followSoon = (): void => {
    denialTimer ??= clock.setTimer(denialMs, () => {
      denialTimer = undefined;
      follow();
    });
  };
  held.add(denials.onChange(followSoon));
  held.defer(() => denialTimer?.dispose());
  held.add(notifier.onPressed(ask));

  async function setList(key: string, parts: readonly string[]): Promise<void> {
    const text = listText(parts);
    if (text === null) await settings.delete(key);
    else await settings.set(key, text);
  }

  const calls: Calls = {
    async acknowledge({ id }) {
      const facts = desk.book().get(id);
      if (facts === undefined) throw new VakError('not-found', 'acknowledge: the incident is over');
      if (facts.isStanding) {
        throw new VakError('conflict', 'acknowledge: it stands until it is over; mute it if you know of it');
      }
      const kept = desk.memory().acknowledge(id, { mark: facts.mark, atMs: clock.now() });
      tell();
      await kept;
    },
    async takeBack({ id }) {
      const all = desk.book().list();
      const ids = id === undefined ? all.filter((one) => one.acknowledgedMs !== null).map((one) => one.id) : [id];
      const kept = desk.memory().takeBack(ids);
      tell();
      await kept;
    },
    async muteKind({ kind, isMuted: isIn }) {
      await setList('notifications.mutedKinds', withPart(mutes().kinds, kind, isIn));
      tell();
    },
    async muteQueue({ queue, isMuted: isIn }) {
      await setList('notifications.mutedQueues', withPart(mutes().queues, checkToken(queue, 'queue'), isIn));
      tell();
    },
    async muteAll({ forMinutes }) {
      const until = new Date(clock.now() + forMinutes * minuteMs);
      if (forMinutes === 0) await settings.delete('notifications.mutedUntil');
      else await settings.set('notifications.mutedUntil', until.toISOString());
      tell();
    },
    taken({ at }) {
      if (asked?.at !== at) return;
      asked = null;
      onChange();
    },
  };

  return {
    calls,
    follow,
    state() {
      const [work, waiting, muted] = [queues(), approvals(), mutes()];
      return {
        incidents: desk
          .book()
          .list()
          .map((facts) => incidentOf(facts, muted)),
        openCount: openCount(muted),
        ...{ totals: totalsOf(work, waiting), lagHistory: lagsOf(work), sampleMs: work.sampleMs, muted, asked },
      };
    },
    dispose: () => held.dispose(),
  };
}
