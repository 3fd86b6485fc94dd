/** What the Operations Center says of the connection in use: label and value, in the order of reading. Pure. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import {
  currentContext,
  formatRoundTrip,
  momentWords,
  outageSpan,
  outboxWords,
  placeWords,
  statusWord,
} from '../../ui/connection-words.ts';
import { formatRelative, type Zone } from '../../ui/format.ts';

export interface ConnectionFactsContext {
  readonly zone: Zone;
  readonly nowMs: number;
}

/** A fact that cannot be told is left out; what is not known yet of a server is `–`. */
export function connectionFacts(
  state: ConnectionsState,
  { zone, nowMs }: ConnectionFactsContext,
): readonly (readonly [string, string])[] {
  const { status, server, rttMs, outages, staleSinceMs } = state;
  const context = currentContext(state);
  const isEmbedded = context?.kind === 'embedded';
  const facts: (readonly [string, string])[] = [
    ['Context', context?.isReadOnly === true ? `${state.current} · read-only` : state.current],
    ['Kind', context?.kind ?? 'not in the settings any more'],
    [isEmbedded ? 'Bus' : 'Server', context === undefined ? '–' : placeWords(context)],
  ];
  if (!isEmbedded) facts.push(['Version', server === null ? '–' : `${server.name} ${server.version}`]);
  const since = `${momentWords(status.sinceMs, zone)} · ${formatRelative(status.sinceMs, nowMs)}`;
  facts.push(['State', `${statusWord(status)} since ${since}`]);
  if (staleSinceMs !== null) facts.push(['Shown is from', momentWords(staleSinceMs, zone)]);
  if (!isEmbedded)
    facts.push(['Round trip', rttMs === null || status.kind !== 'connected' ? '–' : formatRoundTrip(rttMs)]);
  const waiting = outboxWords(state, zone);
  if (waiting !== undefined) facts.push(['Outbox', waiting]);
  const last = outages.at(-1);
  if (last !== undefined) facts.push(['Last outage', outageSpan(last, zone)]);
  return facts;
}
