/** What is said of connections, everywhere in the same words. Pure. Law: nothing is said that the snapshot does not hold. */
import type {
  ConnectionContext,
  ConnectionKind,
  ConnectionStatus,
  ConnectionsState,
  Outage,
} from '../../shared/contract/connections-contract.ts';
import { formatCount, formatDuration, formatTimeOfDay, formatZone, unitSpace, type Zone } from './format.ts';

/** The context in use, or that is being changed to; undefined if the settings have lost it. */
export function currentContext(state: ConnectionsState | undefined): ConnectionContext | undefined {
  return state?.contexts.find(({ name }) => name === state.current);
}

/** `reconnecting 3`: the state of a connection in a word. */
export function statusWord(status: ConnectionStatus): string {
  return status.kind === 'reconnecting' ? `reconnecting ${formatCount(status.attempt)}` : status.kind;
}

export type StatusTone = 'ok' | 'wait' | 'bad';

const tones: Readonly<Record<ConnectionStatus['kind'], StatusTone>> = {
  connecting: 'wait',
  connected: 'ok',
  stale: 'wait',
  reconnecting: 'bad',
  closed: 'bad',
};

export function statusTone({ kind }: Pick<ConnectionStatus, 'kind'>): StatusTone {
  return tones[kind];
}

/** `RTT 4 ms`; below a millisecond `RTT < 1 ms`. */
export function formatRoundTrip(rttMs: number): string {
  return rttMs < 1 ? `<${unitSpace}1${unitSpace}ms` : formatDuration(rttMs);
}

/** `stale since 14:03:07`, or undefined while what is shown is current. */
export function staleWords(state: Pick<ConnectionsState, 'staleSinceMs'>, zone: Zone): string | undefined {
  return state.staleSinceMs === null ? undefined : `stale since ${formatTimeOfDay(state.staleSinceMs, zone)}`;
}

/** What stands beside the state: since when it may be old, else the round trip to a server. */
export function statusNote(state: ConnectionsState, zone: Zone): string {
  const stale = staleWords(state, zone);
  if (stale !== undefined) return stale;
  const isMeasured = state.status.kind === 'connected' && state.server !== null && state.rttMs !== null;
  return isMeasured ? `RTT ${formatRoundTrip(state.rttMs ?? 0)}` : '';
}

const storing = 'storing';

/** Why nothing can be stored (a damaged store, a full disk); undefined: it can. */
export function storeFault({ missing }: Pick<ConnectionsState, 'missing'>): string | undefined {
  return missing.find(({ feature }) => feature === storing)?.needs;
}

/** What a server would have if it were newer, or set up otherwise. */
export function lackingFeatures({ missing }: Pick<ConnectionsState, 'missing'>): ConnectionsState['missing'] {
  return missing.filter(({ feature }) => feature !== storing);
}

/** `2 messages wait in the outbox since 14:03:07`; undefined if none does. */
export function outboxWords({ outbox }: Pick<ConnectionsState, 'outbox'>, zone: Zone): string | undefined {
  if (outbox === null || outbox.waitingCount === 0) return undefined;
  const what = outbox.waitingCount === 1 ? '1 message waits' : `${formatCount(outbox.waitingCount)} messages wait`;
  const since = outbox.oldestMs === null ? '' : ` since ${formatTimeOfDay(outbox.oldestMs, zone)}`;
  return `${what} in the outbox${since}`;
}

/** Why nothing can be published now; undefined: it can. */
export function readOnlyReason(state: ConnectionsState | undefined): string | undefined {
  const context = currentContext(state);
  return context?.isReadOnly === true ? `the connection ${context.name} is read-only` : undefined;
}

/** Why what is published now reaches nobody; undefined: it is sent. */
export function publishFault(state: ConnectionsState | undefined): string | undefined {
  const isLost = state?.status.kind === 'reconnecting' || state?.status.kind === 'closed';
  return (
    readOnlyReason(state) ?? (state !== undefined && isLost ? `there is no connection to ${state.current}` : undefined)
  );
}

const settingsPlace = 'Settings, Connections';

/** Why nothing can be published, and what to do next, where it stands alone: on a button, in a notice. */
export function readOnlyLack(state: ConnectionsState | undefined): string | undefined {
  const reason = readOnlyReason(state);
  return reason && `${reason}; use another one or change it in ${settingsPlace}`;
}

/** Why it reaches nobody, and what to do next. */
export function publishLack(state: ConnectionsState | undefined): string | undefined {
  const fault = publishFault(state);
  if (fault === undefined || readOnlyReason(state) !== undefined) return readOnlyLack(state);
  const isSought = state?.status.kind === 'reconnecting';
  return `${fault}; ${isSought ? 'it is sought by itself, see' : 'use it again or another one in'} ${settingsPlace}`;
}

/** `14:03:07 – 14:03:19 · 12.0 s`, of an outage that lasts `14:03:07 – now`. */
export function outageSpan({ fromMs, toMs }: Pick<Outage, 'fromMs' | 'toMs'>, zone: Zone): string {
  const from = formatTimeOfDay(fromMs, zone);
  if (toMs === null) return `${from} – now`;
  return `${from} – ${formatTimeOfDay(toMs, zone)} · ${formatDuration(Math.max(0, toMs - fromMs))}`;
}

/** What stands in a table where messages may be missing. */
export function outageWords(outage: Pick<Outage, 'fromMs' | 'toMs'>, zone: Zone): string {
  const passes = outage.toMs === null ? 'passes' : 'passed';
  return `connection lost ${outageSpan(outage, zone)}; what ${passes} on the bus meanwhile is not here`;
}

/** `14:03:07 UTC`. */
export function momentWords(ms: number, zone: Zone): string {
  return `${formatTimeOfDay(ms, zone)} ${formatZone(zone, ms)}`;
}

const kindWords: Readonly<Record<ConnectionKind, string>> = {
  embedded: 'in this app, no server',
  managed: 'started by this app',
  remote: 'NATS server',
};

/** Where a connection leads. */
export function placeWords({ kind, url }: Pick<ConnectionContext, 'kind' | 'url'>): string {
  return kind === 'remote' ? (url?.replaceAll(',', ', ') ?? 'no server is set') : kindWords[kind];
}
