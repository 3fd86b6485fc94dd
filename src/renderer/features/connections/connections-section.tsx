/** Settings → Connections: the named contexts, what can be done with them, and how that ended. */
import { DatabaseZap, Import, Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { ConnectionsTable } from './connections-table.tsx';
import { ImportReport } from './import-report.tsx';
import './connections.css';

/** A server that nobody has made ready for this workspace, and the ways to have it done. */
function LackingStreams({ current }: { readonly current: string }) {
  const count = useSnapshot('provisioning.state')?.lacking.length ?? 0;
  if (count === 0) return null;
  return (
    <div className="connections-empty" data-testid="connections-lacking">
      <p>
        {current} lacks {count} {count === 1 ? 'stream' : 'streams'} of this workspace: tasks, receipts and approvals
        cannot be stored there. Whoever may make streams creates them here, or with <code>vak provision</code>.
      </p>
      <ActionButton action="connections.provision" icon={DatabaseZap} variant="primary" label="Create the streams…" />
    </div>
  );
}

function Content({ state }: { readonly state: ConnectionsState }) {
  const isAlone = state.contexts.every(({ kind }) => kind === 'embedded');
  return (
    <>
      <ConnectionsTable state={state} />
      {isAlone && (
        <div className="connections-empty">
          <p>
            Only the embedded bus of this app is here: add a NATS server to work with others, or one that this app
            starts for the programs on this machine.
          </p>
          <ActionButton action="connections.add" icon={Plus} variant="primary" />
        </div>
      )}
      <LackingStreams current={state.current} />
      <ImportReport />
    </>
  );
}

/** Brings the connection in use into view with the focus, when another view asks for it. */
function useWantedConnections(isKnown: boolean) {
  const { view } = useWorkbench();
  const section = useRef<HTMLElement>(null);
  const isWanted = useViewState((state) => state.wanted?.kind === 'connections');
  useEffect(() => {
    if (!isWanted || !isKnown) return;
    view.setState({ wanted: null });
    section.current?.scrollIntoView({ block: 'start' });
    section.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
  }, [view, isWanted, isKnown]);
  return section;
}

export function ConnectionsSection() {
  const state = useSnapshot('connections.state');
  const section = useWantedConnections(state !== undefined);
  return (
    <section className="connections" ref={section} aria-label="Connections" data-testid="connections">
      <header className="connections-head">
        <h2>Connections</h2>
        <div className="connections-actions">
          <ActionButton action="connections.provision" icon={DatabaseZap} label="Streams…" />
          <ActionButton action="connections.importNats" icon={Import} label="Import from the nats command line" />
          <ActionButton action="connections.add" icon={Plus} label="Add…" />
        </div>
      </header>
      {state === undefined ? <p className="dim">Reading the connections…</p> : <Content state={state} />}
    </section>
  );
}
