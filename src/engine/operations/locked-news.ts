/**
 * What is heard while the key store is locked: how many requests for approval and dead letters came, and nothing else (protocol.md W3, W8).
 * Law: nobody can judge them then, so nothing of them is read or told but their number; whoever forges some is told of as often as a
 * notification may be.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { LockedNews } from '../../shared/contract/operations-contract.ts';
import type { NoticeKind } from '../../shared/protocol/incident-kinds.ts';
import type { Bus } from '../bus/bus.ts';
import type { Alert } from './alert-notifier.ts';

export interface LockedNewsDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly workspace: string;
  readonly isLocked: () => boolean;
  /** Something was heard. */
  readonly onHeard: () => void;
}

export interface LockedNewsCount extends Disposable {
  /** Since the key store was locked, or last forgotten. */
  count(): LockedNews;
  /** The newest of them, to be told; what they are is not known. */
  alerts(): readonly Alert[];
  /** The key store is open: whoever looks now sees them. */
  forget(): void;
}

/** So many are told apart while nobody can read them. */
const maxAlerts = 100;

/** Counts until it is disposed. */
export function createLockedNews({ bus, workspace, isLocked, onHeard }: LockedNewsDeps): LockedNewsCount {
  const held = createDisposer();
  const counts = new Map<NoticeKind, number>();
  let alerts: readonly Alert[] = [];

  function listen(pattern: string, kind: NoticeKind): void {
    held.add(
      bus.subscribe(pattern, {
        kind: 'inline',
        onMessage() {
          if (!isLocked()) return;
          const count = (counts.get(kind) ?? 0) + 1;
          counts.set(kind, count);
          alerts = [...alerts, { id: `locked:${kind}:${count}`, kind, title: '', body: '' }].slice(-maxAlerts);
          onHeard();
        },
      }),
    );
  }

  listen(`vak.approvals.${workspace}.*.request`, 'approval');
  listen(`vak.dlq.${workspace}.*.failed`, 'dead-letters');
  return {
    count: () => ({ incidentCount: counts.get('dead-letters') ?? 0, approvalCount: counts.get('approval') ?? 0 }),
    alerts: () => alerts,
    forget() {
      counts.clear();
      alerts = [];
    },
    dispose: () => held.dispose(),
  };
}
