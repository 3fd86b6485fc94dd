/**
 * Operations Center: incidents, totals of the work plane, what is muted, and what the desktop is told (product.md "Operations Center").
 * Law: it shows what the book says; acknowledging and muting change nothing of the work itself.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type {
  AskedPlace,
  Attention,
  LockedNews,
  MuteState,
  OperationsState,
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
import { type Alarm, type AlarmMarks, type AlarmSources, alarmsOf } from './alarms.ts';
import { approvalsId, createAlertNotifier, roomNoticeId, severalId } from './alert-notifier.ts';
import { maxIncidents } from './incident-book.ts';
import { createIncidentDesk, type IncidentDesk } from './incident-desk.ts';
import type { IncidentMemory } from './incident-memory.ts';
import { createLockedNews } from './locked-news.ts';
import { isMuted, muteStateOf, withPart } from './mute-rules.ts';
import { alertsOf, attentionOf, incidentOf, lagsOf, sumOf, totalsOf } from './operations-report.ts';

type Calls = Services<AppContract>['operations'];

export interface OperationsService extends Disposable {
  readonly calls: Calls;
  state(): OperationsState;
  /** What came while the key store was locked. */
  lockedNews(): LockedNews;
  /** Counts again what needs an operator, and says so where that has changed. */
  recount(): void;
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
  /** What else may be wrong; undefined while it is not known yet. */
  readonly alarmSources: () => Omit<AlarmSources, 'queues'> | undefined;
  readonly denials: Pick<DenialLog, 'entries' | 'onChange'>;
  readonly memory: IncidentMemory;
  readonly settings: Pick<SettingsFile, 'settings' | 'set' | 'delete'>;
  readonly notifier: Notifier;
  readonly isLocked: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: () => void;
  /** Told when the number of what came while it was locked has changed. */
  readonly onLockedNews: () => void;
}

const minuteMs = 60_000;
/** However often a peer is refused, it is looked at once in so long, ms. */
const denialMs = 500;

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
      else if (id.startsWith(roomNoticeId)) asked = { kind: 'rooms', room: id.slice(roomNoticeId.length) || null, at };
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

interface AlarmDesk {
  alarms(): readonly Alarm[];
  marks(): AlarmMarks;
  /** Throws as the call does. */
  acknowledge(id: string, mark: string): void;
  /** Undefined: all of them. */
  takeBack(id: string | undefined): void;
}

/** What was acknowledged beside the incidents, for this run. */
function createAlarmDesk(alarms: () => readonly Alarm[]): AlarmDesk {
  let marks: AlarmMarks = {};
  return {
    alarms,
    marks: () => marks,
    acknowledge(id, mark) {
      const alarm = alarms().find((one) => one.id === id);
      if (alarm === undefined) throw new VakError('not-found', 'acknowledge: it is over');
      if (alarm.mark === null) throw new VakError('conflict', 'acknowledge: it stands until it is over');
      marks = { ...marks, [id]: mark };
    },
    takeBack(id) {
      marks = id === undefined ? {} : Object.fromEntries(Object.entries(marks).filter(([one]) => one !== id));
    },
  };
}

interface CallsDeps {
  readonly desk: IncidentDesk;
  readonly alarmDesk: AlarmDesk;
  readonly settings: Pick<SettingsFile, 'set' | 'delete'>;
  readonly mutes: () => MuteState;
  readonly pressed: Pick<Pressed, 'taken'>;
  readonly clock: Clock;
  /** Something was changed. */
  readonly tell: () => void;
}

function createCalls({ desk, alarmDesk, settings, mutes, pressed, clock, tell }: CallsDeps): Calls {
  async function setList(key: string, parts: readonly string[]): Promise<void> {
    const text = listText(parts);
    if (text === null) await settings.delete(key);
    else await settings.set(key, text);
  }

  return {
    async acknowledge({ id, mark }) {
      if (mark !== undefined) {
        alarmDesk.acknowledge(id, mark);
        tell();
        return;
      }
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
      alarmDesk.takeBack(id);
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
  const alarmDesk = createAlarmDesk(() => {
    const sources = deps.alarmSources();
    return sources === undefined ? [] : alarmsOf({ ...sources, queues: queues() });
  });
  const news = held.add(createLockedNews({ bus: deps.bus, workspace: deps.workspace, isLocked, onHeard: hear }));
  let badge = 0;
  let counted = '';
  /** When the work was read last before the key store was opened. */
  let readBeforeMs: number | null = null;

  const attention = (): Attention =>
    attentionOf({
      ...{ incidents: desk.book().all(), approvals: approvals(), muted: mutes() },
      ...{ alarms: alarmDesk.alarms(), marks: alarmDesk.marks() },
    });

  /** Puts on the badge what needs an operator; what is new behind a lock is told on top of what was known before it. */
  function count(): Attention {
    const known = attention();
    const total = sumOf(known) + sumOf(news.count());
    if (total !== badge) notifier.setBadge(total);
    badge = total;
    counted = JSON.stringify(known);
    return known;
  }

  /** What was heard behind the lock is known as what it is once it was looked at; until then it counts as it is. */
  function forgetNews(): void {
    const { readAtMs } = queues();
    if (isLocked()) readBeforeMs = readAtMs;
    else if (readAtMs !== readBeforeMs && sumOf(news.count()) > 0) {
      news.forget();
      deps.onLockedNews();
    }
  }

  function hear(): void {
    deps.onLockedNews();
    tell();
  }

  function tell(): void {
    const [incidents, waiting, muted] = [desk.book().list(), approvals(), mutes()];
    forgetNews();
    if (!isLocked() && !desk.isSettled()) alerts.begin();
    const unread = news.alerts().filter(({ kind }) => !isMuted(muted, kind, null));
    alerts.follow([...alertsOf(incidents, waiting.pending, muted), ...unread]);
    count();
    onChange();
  }

  function follow(): void {
    const refused = watch.work()?.refusedWork;
    const refusedWork = { count: refused?.count() ?? 0, newest: refused?.newest() ?? [] };
    desk.noteLook({ queues: queues(), approvals: approvals(), refusedWork });
    tell();
  }

  held.add(watch.onTask(({ record }) => desk.noteTask(record)));
  held.add(denials.onChange(held.add(createSoon(clock, follow)).run));
  held.add(notifier.onPressed(pressed.ask));

  // While the key store is locked nothing is read, and what is heard then is news.
  alerts.follow([]);

  return {
    calls: createCalls({ desk, alarmDesk, settings, mutes, pressed, clock, tell }),
    follow,
    lockedNews: news.count,
    recount() {
      const before = counted;
      count();
      if (counted !== before) onChange();
    },
    state() {
      const [work, waiting, muted] = [queues(), approvals(), mutes()];
      const all = desk.book().all();
      const incidents = all.slice(0, maxIncidents);
      return {
        leftOutCount: all.length - incidents.length,
        incidents: incidents.map((facts) => incidentOf(facts, muted)),
        ...{ attention: attention(), acknowledgedMarks: alarmDesk.marks() },
        ...{ totals: totalsOf(work, waiting, desk.lostCount()), ...lagsOf(work), sampleMs: work.sampleMs },
        ...{ muted, asked: pressed.asked() },
      };
    },
    dispose: () => held.dispose(),
  };
}
