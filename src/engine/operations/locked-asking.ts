/**
 * Requests for approval that are heard while the key store is locked: that there is one, and nothing else (protocol.md W8).
 * Law: nobody can judge them then, so nothing of them is read; whoever forges some is told of as often as a notification may be.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Bus } from '../bus/bus.ts';
import type { Alert } from './alert-notifier.ts';

export interface LockedAskingDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly workspace: string;
  readonly isLocked: () => boolean;
  readonly onAsked: (alert: Alert) => void;
}

/** Listens until it is disposed. */
export function createLockedAsking({ bus, workspace, isLocked, onAsked }: LockedAskingDeps): Disposable {
  let count = 0;
  return bus.subscribe(`vak.approvals.${workspace}.*.request`, {
    kind: 'inline',
    onMessage() {
      if (!isLocked()) return;
      count++;
      onAsked({ id: `locked:${count}`, kind: 'approval', title: 'An approval waits', body: '' });
    },
  });
}
