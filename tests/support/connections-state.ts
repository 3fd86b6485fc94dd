/** Connections as a page is told of them: one, remote, in use. */
import type { ConnectionContext, ConnectionsState } from '../../src/shared/contract/connections-contract.ts';

/** The day of these tests, at a time of it (UTC); ms since the epoch. */
export const at = (time: string): number => Date.parse(`2026-11-29T${time}Z`);

export const prod: ConnectionContext = {
  ...{ name: 'prod', kind: 'remote', url: 'tls://a:4222', colour: 'red', isReadOnly: true, credentials: 'jwt' },
} as const;

/** Connected to `prod` since 14:00, unless told otherwise. */
export function connectionsState(more: Partial<ConnectionsState> = {}): ConnectionsState {
  return {
    contexts: [prod],
    current: 'prod',
    status: { kind: 'connected', sinceMs: at('14:00:00') },
    staleSinceMs: null,
    server: { name: 'n1', version: '2.9.10' },
    rttMs: 4,
    missing: [],
    outbox: null,
    outages: [],
    problem: null,
    ...more,
  };
}
