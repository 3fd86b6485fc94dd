/**
 * Which alerts become notifications of the desktop, and when (product.md "Operations Center").
 * Law: one for each opening, at most one in ten seconds, none while the window shows it in front, and nothing of the workspace while it
 * is locked.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { NoticeKind } from '../../shared/protocol/incident-kinds.ts';
import type { Clock } from '../ports/clock.ts';
import type { Notice, Notifier } from '../ports/notifier.ts';
import { countWords } from './quantity-words.ts';

/** Something that is to be told once, as long as it is there. */
export interface Alert extends Notice {
  readonly kind: NoticeKind;
}

export interface AlertNotifier extends Disposable {
  /** All that are open and not muted now; what was not among them before is new. */
  follow(alerts: readonly Alert[]): void;
  /** What is open next is no news: another workspace, another server, or the first look at this one. */
  begin(): void;
}

export interface AlertNotifierDeps {
  readonly notifier: Pick<Notifier, 'show' | 'isInFront'>;
  readonly clock: Clock;
  /** Whether anything may be told at all now. */
  readonly isOn: () => boolean;
  /** Whether the key store is closed. */
  readonly isLocked: () => boolean;
}

/** Id of a notification that is about several things. */
export const severalId = 'several';
/** What the id of an approval's notification begins with; of several that cannot be told apart it is the whole. */
export const approvalsId = 'approval:';
/** What the id of a room's notification begins with; of several rooms it is the whole. */
export const roomNoticeId = 'room:';
const gapMs = 10_000;

const noticeOf = ({ id, title, body }: Alert): Notice => ({ id, title, body });
const isApproval = ({ kind }: Alert): boolean => kind === 'approval';

/** `2 incidents, 1 approval`. */
function countsOf(alerts: readonly Alert[], more: string): string {
  const approvals = alerts.filter(isApproval).length;
  const incidents = alerts.length - approvals;
  const parts = [
    ...(incidents > 0 ? [`${countWords(incidents)}${more} ${incidents === 1 ? 'incident' : 'incidents'}`] : []),
    ...(approvals > 0 ? [`${countWords(approvals)}${more} ${approvals === 1 ? 'approval' : 'approvals'}`] : []),
  ];
  return parts.join(', ');
}

/** What may be said while nobody has opened the key store: how many of which sort, and nothing of what they are. */
function lockedNotice(alerts: readonly Alert[]): Notice {
  const body = `Unlock the workbench to see ${alerts.length === 1 ? 'it' : 'them'}.`;
  if (!alerts.every(isApproval)) return { id: severalId, title: `New: ${countsOf(alerts, '')}`, body };
  const title = alerts.length === 1 ? 'An approval waits' : `${countWords(alerts.length)} approvals wait`;
  return { id: approvalsId, title, body };
}

function severalNotice(alerts: readonly Alert[], isFurther: boolean): Notice {
  const title = countsOf(alerts, isFurther ? ' more' : '');
  return { id: severalId, title, body: 'Open the Operations Center to see them.' };
}

/** Creates it without knowing anything: the first look is no news. */
export function createAlertNotifier({ notifier, clock, isOn, isLocked }: AlertNotifierDeps): AlertNotifier {
  /** Those that are open, told or not. */
  let known: ReadonlySet<string> | undefined;
  const waiting = new Map<string, Alert>();
  let lastMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;

  /** Whoever has the window in front sees it there; behind a lock nothing is to be seen. */
  const isSeen = (): boolean => notifier.isInFront() && !isLocked();

  function tell(): void {
    timer = undefined;
    const alerts = [...waiting.values()];
    waiting.clear();
    const [first] = alerts;
    if (first === undefined || !isOn() || isSeen()) return;
    const isFurther = Number.isFinite(lastMs) && clock.monotonic() - lastMs < 2 * gapMs;
    lastMs = clock.monotonic();
    if (isLocked()) notifier.show(lockedNotice(alerts));
    else notifier.show(alerts.length === 1 ? noticeOf(first) : severalNotice(alerts, isFurther));
  }

  function tellSoon(): void {
    if (waiting.size === 0 || timer !== undefined) return;
    const waitMs = lastMs + gapMs - clock.monotonic();
    if (waitMs <= 0) tell();
    else timer = clock.setTimer(waitMs, tell);
  }

  return {
    begin() {
      known = undefined;
      waiting.clear();
    },
    follow(alerts) {
      const before = known;
      known = new Set(alerts.map(({ id }) => id));
      // What is over, or muted, or looked into meanwhile, is not told any more.
      for (const id of waiting.keys()) if (!known.has(id)) waiting.delete(id);
      for (const alert of alerts) {
        if (waiting.has(alert.id)) waiting.set(alert.id, alert);
        else if (before !== undefined && !before.has(alert.id) && isOn() && !isSeen()) waiting.set(alert.id, alert);
      }
      tellSoon();
    },
    dispose: () => timer?.dispose(),
  };
}
