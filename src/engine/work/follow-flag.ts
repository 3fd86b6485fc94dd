/**
 * Whether one queue is paused, followed by a peer of the work plane (protocol.md W9).
 * Law: it is known before anything is done; where there is no state nothing is paused.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createStateReader } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';
import { type QueueFlag, readQueueFlag, watchQueueFlags } from './queue-flags.ts';
import type { WorkPeer } from './work-peer.ts';

export interface FollowFlagDeps {
  readonly peer: Pick<WorkPeer, 'workspace' | 'durable' | 'resolve'>;
  readonly queue: string;
  readonly clock: Clock;
  /** Told before this resolves if something counts already, and of each change. */
  readonly onFlag: (flag: QueueFlag) => void;
  readonly onRefused: (key: string, why: string) => void;
}

/** Follows it until disposed. Throws what reading throws. */
export async function followFlag({ peer, queue, clock, onFlag, onRefused }: FollowFlagDeps): Promise<Disposable> {
  const { workspace, durable, resolve } = peer;
  const reader = createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve });
  const first = await readQueueFlag({ workspace, queue }, { durable, reader });
  if (first !== undefined) onFlag(first);
  let told = first;
  try {
    return watchQueueFlags({
      ...{ workspace, durable, reader, clock, onRefused },
      onChange(name, flag) {
        // The watch begins with what was read already.
        const isTold = flag.atMs === told?.atMs && flag.isPaused === told.isPaused;
        if (name !== queue || isTold) return;
        told = flag;
        onFlag(flag);
      },
    });
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
    return toDisposable(() => {});
  }
}
