/**
 * What the peers of this process were refused (protocol.md A3, A4): one bounded record for whoever shows it.
 * Law: every refusal that was told is counted; a peer that tries a thousand things pushes out its own entries before another's.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Logger } from '../ports/logger.ts';
import type { DeniedAccess } from './denial-teller.ts';

/** Entries that are kept. */
export const maxDenials = 100;

/** The same try of the same peer, however often. Times in ms since the epoch. */
export interface Denial extends Pick<DeniedAccess, 'peer' | 'action' | 'subject' | 'rule' | 'side'> {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface DenialLog {
  /** Takes note of a refusal, for a permit's `onDenied`. */
  note(denied: DeniedAccess): void;
  /** Newest first. */
  entries(): readonly Denial[];
  /** Refusals so far: those that were too many to be told one by one, and those that are not kept any more, among them. */
  totalCount(): number;
  /** Called after each note; the caller bounds its rate. */
  onChange(listener: () => void): Disposable;
}

/** Creates an empty log. */
export function createDenialLog({ logger }: { readonly logger: Logger }): DenialLog {
  const changes = createListenerSet<void>(logger, 'access.denials');
  /** By what was tried, the latest last. */
  const denials = new Map<string, Denial>();
  let totalCount = 0;

  /** The oldest entry of the peer that has most. */
  function makeRoom(): void {
    const counts = new Map<string, number>();
    for (const { peer } of denials.values()) counts.set(peer, (counts.get(peer) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [key, { peer }] of denials) {
      if (counts.get(peer) !== most) continue;
      denials.delete(key);
      return;
    }
  }

  return {
    note({ peer, action, subject, rule, side, atMs, untoldCount }) {
      totalCount += 1 + untoldCount;
      const key = JSON.stringify([peer, action, subject, rule, side]);
      const known = denials.get(key);
      denials.delete(key);
      if (denials.size >= maxDenials) makeRoom();
      const count = (known?.count ?? 0) + 1;
      denials.set(key, { peer, action, subject, rule, side, count, firstMs: known?.firstMs ?? atMs, lastMs: atMs });
      changes.tell();
    },
    entries: () => [...denials.values()].reverse(),
    totalCount: () => totalCount,
    onChange: changes.add,
  };
}
