/** What this app runs on. */
import { useEnvironment } from '../../state/use-environment.ts';
import { useSnapshot } from '../../workbench.tsx';

export function RuntimeFacts() {
  const app = useSnapshot('app.status');
  const environment = useEnvironment();
  if (app === undefined) return <p className="dim">Connecting to the engine…</p>;
  const facts = [
    ['Vak Workbench', app.version],
    ['Electron', app.electron],
    ['Chromium', app.chromium],
    ['Node', app.node],
    ['Platform', app.platform],
    ['Environment', environment?.name ?? '–'],
    ['Workspace', app.workspace],
  ] as const;
  return (
    <dl>
      {facts.map(([label, value]) => (
        <div key={label} className="settings-fact">
          <dt>{label}</dt>
          <dd className="data">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
