/** The connection in use, what it lacks, and who is heard over it. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import { lackingFeatures } from '../../ui/connection-words.ts';
import { formatCount } from '../../ui/format.ts';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { connectionFacts } from './connection-facts.ts';
import './connection-panel.css';

function MissingFeatures() {
  const state = useSnapshot('connections.state');
  const missing = state === undefined ? [] : lackingFeatures(state);
  if (missing.length === 0) return null;
  return (
    <Fact label="Missing">
      <ul className="connection-panel-missing">
        {missing.map(({ feature, needs }) => (
          <li key={feature}>
            {feature} <span className="dim">needs {needs}</span>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function SessionFacts() {
  const sessions = useSnapshot('sessions.list')?.sessions ?? [];
  const count = (wanted: 'live' | 'stale'): string =>
    formatCount(sessions.filter(({ state }) => state === wanted).length);
  return (
    <>
      <Fact label="Live sessions">{count('live')}</Fact>
      <Fact label="Silent sessions">{count('stale')}</Fact>
    </>
  );
}

export function ConnectionPanel() {
  const state = useSnapshot('connections.state');
  const workspace = useSnapshot('app.status')?.workspace;
  const zone = useViewState((one) => one.timeZone);
  const nowMs = useNow();
  return (
    <Panel title="Connection" data-testid="connection-panel">
      {state === undefined ? (
        <p className="panel-note">Connecting to the engine…</p>
      ) : (
        <Facts>
          {connectionFacts(state, { zone, nowMs }).map(([label, value]) => (
            <Fact key={label} label={label}>
              {visibleText(value)}
            </Fact>
          ))}
          <MissingFeatures />
          <Fact label="Workspace">{workspace ?? '–'}</Fact>
          <SessionFacts />
        </Facts>
      )}
    </Panel>
  );
}
