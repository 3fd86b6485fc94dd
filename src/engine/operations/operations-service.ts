/**
 * Operations Center: incidents, totals of the work plane, what is muted, and what the desktop is told (product.md "Operations Center").
 * Law: it shows what the book says; acknowledging and muting change nothing of the work itself.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { AskedPlace, MuteState, OperationsState } from '../../shared/contract/operations-contract.ts';
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
import { createIncidentDesk, type IncidentDesk } from './incident-desk.ts';
import type { IncidentMemory } from './incident-memory.ts';
import { createLockedAsking } from './locked-asking.ts';
import { isMuted, muteStateOf, withPart } from './mute-rules.ts';
import { alertsOf, badgeOf, incidentOf, lagsOf, openCountOf, totalsOf } from './operations-report.ts';

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
/** So many are told apart while nobody can read them. */
const maxLockedAlerts = 100;

interface Pressed {
  asked(): AskedPlace | null;
  ask(id: string): void;
  taken(at: number): void;
}

/** What a notification that was pressed leads to, until a window has taken it. */
function createPressed(onChange: () => void): Pressed {
  let asked: AskedPlace | null = null;
  let count = 0;
  return {
    asked: () => asked,
    ask(id) {
      const at = ++count;
      if (id === severalId) asked = { kind: 'operations', at };
      else asked = id.startsWith(approvalsId) ? { kind: 'approvals', at } : { kind: 'incident', id, at };
      onChange();
    },
    taken(at) {
      if (asked?.at !== at) return;
      asked = null;
      onChange();
    },
  };
}

/** Runs something once a while, however often it is asked to. */
function createSoon(clock: Clock, work: () => void): Disposable & { run(): void } {
  let timer: Disposable | undefined;
  return {
    run() {
      timer ??= clock.setTimer(denialMs, () => {
        timer = undefined;
        work();
      });
    },
    dispose: () => timer?.dispose(),
  };
}

interface CallsDeps {
  readonly desk: IncidentDesk;
  readonly settings: Pick<SettingsFile, 'set' | 'delete'>;
  readonly mutes: () => MuteState;
  readonly pressed: Pick<Pressed, 'taken'>;
  readonly clock: Clock;
  /** Something was changed. */
  readonly tell: () => void;
}

function createCalls({ desk, settings, mutes, pressed, clock, tell }: CallsDeps): Calls {
  async function setList(key: string, parts: readonly string[]): Promise<void> {
    const text = listText(parts);
    if (text === null) await settings.delete(key);
    else await settings.set(key, text);
  }

  return {
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
    taken: ({ at }) => pressed.taken(at),
  };
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
  const pressed = createPressed(onChange);
  let badge = 0;
  /** Heard of since the key store was locked. */
  let lockedAlerts: readonly Alert[] = [];

  function tell(): void {
    const [incidents, waiting, muted] = [desk.book().list(), approvals(), mutes()];
    if (!isLocked()) {
      lockedAlerts = [];
      if (!desk.isSettled()) alerts.begin();
    }
    const unread = isMuted(muted, 'approval', null) ? [] : lockedAlerts;
    alerts.follow([...alertsOf(incidents, waiting.pending, muted), ...unread]);
    const count = badgeOf(incidents, waiting, muted);
    if (count !== badge) notifier.setBadge(count);
    badge = count;
    onChange();
  }

  function follow(): void {
    const refused = watch.work()?.refusedWork;
    const refusedWork = { count: refused?.count() ?? 0, newest: refused?.newest() ?? [] };
    desk.noteLook({ queues: queues(), approvals: approvals(), refusedWork });
    tell();
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
  const followSoon = held.add(createSoon(clock, follow));
  held.add(denials.onChange(followSoon.run));
  held.add(notifier.onPressed(pressed.ask));

  // While the key store is locked nothing is read, and what is heard then is news.
  alerts.follow([]);

  return {
    calls: createCalls({ desk, settings, mutes, pressed, clock, tell }),
    follow,
    state() {
      const [work, waiting, muted] = [queues(), approvals(), mutes()];
      const incidents = desk.book().list();
      return {
        incidents: incidents.map((facts) => incidentOf(facts, muted)),
        openCount: openCountOf(incidents, muted),
        ...{ totals: totalsOf(work, waiting, desk.lostCount()), ...lagsOf(work), sampleMs: work.sampleMs },
        ...{ muted, asked: pressed.asked() },
      };
    },
    dispose: () => held.dispose(),
  };
}
