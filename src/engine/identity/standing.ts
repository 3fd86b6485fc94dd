/**
 * What a peer is granted now, while it runs (protocol.md I4).
 * Law: a newer grant counts from the next look on, within one heartbeat; whoever has none any more is told why.
 */

import type { Disposable } from '../../shared/base/disposer.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import { createTimelineReader, grantAt } from './grant-timeline.ts';
import { createRecordChecks } from './signed-record.ts';

/** `over`: it may do nothing any more. */
export type Standing =
  | { readonly kind: 'held'; readonly roles: readonly Role[]; readonly queues: readonly string[] }
  | { readonly kind: 'over'; readonly why: string };

export interface StandingDeps {
  readonly workspace: string;
  readonly directory: Pick<Directory, 'grants'>;
  /** `U…` of the workspace's root. */
  readonly rootPublic: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** So often it is looked whether a grant is another one, ms: a heartbeat is 5 s. */
export const standingEveryMs = 2_000;

/** Creates what says how a peer stands; `sign` is the key that it signs with. Undefined: no grant of it is known here. */
export function createStandings({ workspace, directory, rootPublic, clock }: StandingDeps) {
  const read = createTimelineReader({ ws: workspace, rootPublic, checks: createRecordChecks() });
  return (peer: string, sign: string): Standing | undefined => {
    const nowMs = clock.now();
    const grant = grantAt(read(directory.grants(peer), peer), nowMs)?.grant;
    if (grant === undefined) return undefined;
    const { roles, queues, notAfter } = grant;
    if (roles.length === 0) return { kind: 'over', why: 'its grant was revoked' };
    if (grant.sign !== sign) return { kind: 'over', why: 'another key was granted its name' };
    if (notAfter !== 0 && notAfter * 1000 <= nowMs) return { kind: 'over', why: 'its grant has ended' };
    return { kind: 'held', roles, queues };
  };
}

export interface StandingWatch {
  readonly peer: string;
  readonly sign: string;
  readonly standing: ReturnType<typeof createStandings>;
  readonly directory: Pick<Directory, 'look' | 'onChange'>;
  readonly clock: Pick<Clock, 'setTicker'>;
  /** Told of each change from what it was when this began. */
  readonly onChange: (standing: Standing) => void;
}

/** Watches one peer until disposed. */
export function watchStanding({ peer, sign, standing, directory, clock, onChange }: StandingWatch): Disposable {
  const held = createDisposer();
  let last = JSON.stringify(standing(peer, sign));
  const look = (): void => {
    const now = standing(peer, sign);
    const text = JSON.stringify(now);
    if (now === undefined || text === last) return;
    last = text;
    onChange(now);
  };
  held.add(directory.onChange(look));
  held.add(
    clock.setTicker(standingEveryMs, () => {
      directory.look();
      look();
    }),
  );
  return held;
}
