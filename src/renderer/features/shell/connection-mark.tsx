/** The connection in use: colour, name, kind, lock, state, round trip or since when all is old. Each keeps its place whatever the state is. */
import { CircleCheck, CircleDashed, CircleX, History, Lock, type LucideIcon, RefreshCw } from 'lucide-react';
import type { ConnectionStatus, ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { showConnections } from '../../state/view-store.ts';
import {
  currentContext,
  momentWords,
  outboxWords,
  placeWords,
  statusNote,
  statusTone,
  statusWord,
  storeFault,
} from '../../ui/connection-words.ts';
import type { Zone } from '../../ui/format.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import './connection-mark.css';

const icons: Readonly<Record<ConnectionStatus['kind'], LucideIcon>> = {
  connecting: CircleDashed,
  connected: CircleCheck,
  stale: History,
  reconnecting: RefreshCw,
  closed: CircleX,
};

/** What the marks stand for, in whole sentences. */
function Explanation({ state, zone }: { readonly state: ConnectionsState; readonly zone: Zone }) {
  const context = currentContext(state);
  const { status, server, current } = state;
  const waiting = outboxWords(state, zone);
  const fault = storeFault(state);
  return (
    <div className="connection-mark-words">
      <p>
        {current}
        {context === undefined ? ' is not in the settings any more' : ` · ${placeWords(context)}`}
      </p>
      <p>
        {statusWord(status)} since {momentWords(status.sinceMs, zone)}
        {server !== null && ` · ${server.name} ${server.version}`}
      </p>
      {(status.kind === 'reconnecting' || status.kind === 'closed') && status.error !== null && (
        <p>{status.error.message}</p>
      )}
      {context?.isReadOnly && <p>Read-only: every action that publishes is off, as its settings say.</p>}
      {fault !== undefined && <p>Nothing can be stored: {fault}</p>}
      {state.outbox?.problem != null && <p>{state.outbox.problem.message}</p>}
      {waiting !== undefined && <p>{waiting}, for this server alone.</p>}
      <p className="dim">Opens the connections.</p>
    </div>
  );
}

function Marks({ state, zone }: { readonly state: ConnectionsState; readonly zone: Zone }) {
  const { status } = state;
  const Icon = icons[status.kind];
  const context = currentContext(state);
  const word = statusWord(status);
  return (
    <>
      {context !== undefined && context.name !== context.kind && <span className="dim">{context.kind}</span>}
      {context?.isReadOnly && (
        <span className="connection-mark-lock" data-testid="connection-read-only">
          <Lock size={12} aria-hidden="true" />
          <span className="connection-mark-lock-word">read-only</span>
        </span>
      )}
      <span className={`connection-mark-state connection-mark-${statusTone(status)}`}>
        <Icon size={14} aria-hidden="true" />
        <span className="connection-mark-word">{word}</span>
      </span>
      {context?.kind !== 'embedded' && (
        <span
          className={`connection-mark-note ${state.staleSinceMs === null ? 'dim' : 'connection-mark-wait'}`}
          data-testid="connection-note"
        >
          {statusNote(state, zone)}
        </span>
      )}
    </>
  );
}

export function ConnectionMark() {
  const { view } = useWorkbench();
  const state = useSnapshot('connections.state');
  const environment = useEnvironment();
  const workspace = useSnapshot('app.status')?.workspace;
  const zone = useViewState((one) => one.timeZone);
  if (environment === undefined) return <p className="title-bar-environment dim">Connecting to the engine…</p>;
  const button = (
    <button
      type="button"
      className="connection-mark"
      data-testid="connection-mark"
      data-state={state?.status.kind}
      onClick={() => showConnections(view)}
    >
      <span className="title-bar-dot" aria-hidden="true" style={{ background: environment.colour }} />
      <span className="visually-hidden">Connection </span>
      <strong className="connection-mark-name">{environment.name}</strong>
      {state !== undefined && <Marks state={state} zone={zone} />}
    </button>
  );
  return (
    <div className="title-bar-environment">
      {state === undefined ? button : <Tooltip content={<Explanation state={state} zone={zone} />}>{button}</Tooltip>}
      <span className="title-bar-workspace dim">
        workspace <b className="title-bar-strong">{workspace}</b>
      </span>
    </div>
  );
}
