/**
 * Which requests came before, by their sources (protocol.md E11).
 * Law: a source's number is taken once, and numbers only rise; memory is bounded, and nothing is forgotten that could be said again.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { Clock } from '../ports/clock.ts';

/** A request whose time is further away than that, ms, is not of now. */
export const maxRequestAgeMs = 60_000;

export interface RequestSources {
  /** Why a request may be one that came before, or undefined: then its number is taken. Throws `limit-exceeded` when too many ask at once. */
  take(envelope: Pick<Envelope, 'source' | 'seqnum'>): string | undefined;
}

const reordered = (seqnum: number, last: number): string =>
  `Reordered: number ${seqnum} of its source came after ${last}.`;

/** Never forgets one: for who lives shorter than `max` starts of those who ask. `whenFull`: what is said to another. */
export function createLastingSources({
  max,
  whenFull,
}: {
  readonly max: number;
  readonly whenFull: string;
}): RequestSources {
  const lastSeqs = new Map<string, number>();
  return {
    take({ source, seqnum }) {
      const last = lastSeqs.get(source);
      if (last === undefined && lastSeqs.size >= max) return whenFull;
      if (last !== undefined && seqnum <= last) return reordered(seqnum, last);
      lastSeqs.set(source, seqnum);
      return undefined;
    },
  };
}

/** Forgets a source when whatever it has said is too old to be followed: for who is asked by ever new ones. */
export function createPassingSources(max: number, clock: Pick<Clock, 'monotonic'>): RequestSources {
  /** The one that asked longest ago comes first. */
  const seen = new Map<string, { readonly seqnum: number; readonly untilMs: number }>();

  function forgetOld(nowMs: number): void {
    for (const [source, { untilMs }] of seen) {
      if (untilMs > nowMs) return;
      seen.delete(source);
    }
  }

  return {
    take({ source, seqnum }) {
      const nowMs = clock.monotonic();
      forgetOld(nowMs);
      const last = seen.get(source);
      if (last !== undefined && seqnum <= last.seqnum) return reordered(seqnum, last.seqnum);
      if (last === undefined && seen.size >= max) {
        throw new VakError('limit-exceeded', `${seen.size} sources asked within two minutes; ask again later`, {
          retryable: true,
        });
      }
      seen.delete(source);
      // A time may also lie ahead by so much.
      seen.set(source, { seqnum, untilMs: nowMs + 2 * maxRequestAgeMs });
      return undefined;
    },
  };
}
