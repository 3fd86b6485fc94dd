/**
 * How refusals are told to whoever shows them (protocol.md A4).
 * Law: at most so many a second, the rest are counted; of what was tried no more is shown than fits a line.
 */
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** Refusals that are told one by one in a window; the rest are counted. */
const toldPerWindow = 32;
const windowMs = 1_000;
/** As much of what was tried is shown. */
const maxShownLength = 256;

/** A refusal as the operator sees it. */
export interface DeniedAccess {
  readonly peer: string;
  /** `publish`, `read`, `purge` … */
  readonly action: string;
  /** The subject or pattern, or the place as storage-rules.ts names it; at most 256 characters. */
  readonly subject: string;
  /** What decided. */
  readonly rule: string;
  /** Who refused it: this program's engine, or the server. */
  readonly side: 'engine' | 'server';
  /** Ms since the epoch. */
  readonly atMs: number;
  /** Refusals of this peer since the last that was told, which were too many to be told. */
  readonly untoldCount: number;
}

/** What was tried. */
export interface Tried {
  readonly action: string;
  readonly subject: string;
}

/** What may be shown of a try whose text came from outside. */
export function shownTry({ action, subject }: Tried): Tried {
  return { action, subject: subject.slice(0, maxShownLength).replaceAll(/[^\x21-\x7e]/g, '?') };
}

export interface DenialTellerDeps extends Pick<DeniedAccess, 'peer' | 'side'> {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Logger;
  readonly onDenied: (denied: DeniedAccess) => void;
}

/** Tells refusals, so many a second. */
export function createDenialTeller({ peer, side, clock, logger, onDenied }: DenialTellerDeps) {
  let windowFromMs = Number.NEGATIVE_INFINITY;
  let toldCount = 0;
  let untoldCount = 0;
  return (tried: Tried, rule: string): void => {
    const nowMs = clock.monotonic();
    if (nowMs - windowFromMs >= windowMs) {
      windowFromMs = nowMs;
      toldCount = 0;
    }
    if (toldCount >= toldPerWindow) {
      untoldCount++;
      return;
    }
    toldCount++;
    const denied = { peer, side, ...tried, rule, atMs: clock.now(), untoldCount };
    untoldCount = 0;
    try {
      onDenied(denied);
    } catch (thrown) {
      logger.bug('access.denied-listener', thrown);
    }
  };
}
