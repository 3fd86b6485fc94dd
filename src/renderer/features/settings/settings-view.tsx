/** Settings: what can be chosen today, and what this app runs on. */
import { formatDateTime, formatZone } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { ChoiceGroup } from './choice-group.tsx';
import './settings-view.css';

function ThemeChoiceGroup() {
  const { view } = useWorkbench();
  const theme = useViewState((state) => state.theme);
  return (
    <ChoiceGroup
      legend="Theme"
      selected={theme}
      onSelect={(choice) => view.setState({ theme: choice })}
      choices={[
        { id: 'system', title: 'System', note: 'Light or dark as the system is, and changes with it' },
        { id: 'light', title: 'Light' },
        { id: 'dark', title: 'Dark' },
      ]}
    />
  );
}

function TimeChoiceGroup() {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  return (
    <ChoiceGroup
      legend="Time"
      selected={zone}
      onSelect={(choice) => view.setState({ timeZone: choice })}
      choices={[
        { id: 'utc', title: 'UTC', note: formatDateTime(nowMs, 'utc').slice(0, 19), isData: true },
        {
          id: 'local',
          title: `Local, ${formatZone('local', nowMs)}`,
          note: formatDateTime(nowMs, 'local').slice(0, 19),
          isData: true,
        },
      ]}
    />
  );
}

function RuntimeFacts() {
  const app = useSnapshot('app.status');
  if (app === undefined) return <p className="dim">Connecting to the engine…</p>;
  const facts = [
    ['Vak Workbench', app.version],
    ['Electron', app.electron],
    ['Chromium', app.chromium],
    ['Node', app.node],
    ['Platform', app.platform],
    ['Environment', app.environment.name],
    ['Workspace', app.workspace],
  ] as const;
  return (
    <dl className="settings-facts">
      {facts.map(([label, value]) => (
        <div key={label} className="settings-fact">
          <dt>{label}</dt>
          <dd className="data">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function SettingsView() {
  return (
    <ViewFrame title="Settings" summary="kept on this machine, applied at once">
      <div className="settings">
        <ThemeChoiceGroup />
        <TimeChoiceGroup />
        <section className="settings-section" aria-label="This app">
          <h2>This app</h2>
          <RuntimeFacts />
        </section>
        <section className="settings-section" aria-label="Not built yet">
          <h2>Not built yet</h2>
          <p className="dim">
            Connections to a managed or remote NATS server, secrets, encryption policy, retention and notifications get
            their settings here when those parts exist. Until then the app uses its embedded bus and holds no secret.
          </p>
        </section>
      </div>
    </ViewFrame>
  );
}
