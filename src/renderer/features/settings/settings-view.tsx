/** Settings: everything that the file of this profile decides, its secrets by name, and what this app runs on. */
import { Search } from 'lucide-react';
import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react';
import type { SettingsState } from '../../../shared/contract/settings-contract.ts';
import { Button } from '../../ui/button.tsx';
import { CopyValue } from '../../ui/copy-value.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useActions, useSnapshot } from '../../workbench.tsx';
import { RuntimeFacts } from './runtime-facts.tsx';
import { SecretRow } from './secret-row.tsx';
import { contextNames, filterSettings, groupSettings, isAboutConnections, isOfConnections } from './setting-catalog.ts';
import { SettingRow } from './setting-row.tsx';
import { SettingsProblems } from './settings-problems.tsx';
import './settings-view.css';

const pathLength = 64;

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface ToolbarProps {
  readonly path: string;
  readonly query: string;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  readonly onQuery: (query: string) => void;
}

function Toolbar({ path, query, filterRef, onQuery }: ToolbarProps) {
  return (
    <div className="settings-toolbar">
      <div className="settings-filter">
        <Search size={14} aria-hidden="true" />
        <input
          ref={filterRef}
          aria-label="Filter the settings"
          placeholder="Filter"
          spellCheck={false}
          value={query}
          data-testid="settings-filter"
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || query === '') return;
            event.preventDefault();
            onQuery('');
          }}
        />
        <KeyHint keys="/" />
      </div>
      <div className="settings-path">
        <span className="dim">kept in</span>
        <CopyValue name="path" value={path} maxLength={pathLength} />
      </div>
    </div>
  );
}

/** What does not depend on the settings, and is not looked for. */
function About() {
  return (
    <>
      <Section title="This app">
        <RuntimeFacts />
      </Section>
      <Section title="Not built yet">
        <p className="dim">Retention and the telemetry budget get their settings here when those parts exist.</p>
      </Section>
    </>
  );
}

function NothingFound({ query, onClear }: { readonly query: string; readonly onClear: () => void }) {
  return (
    <EmptyState
      title={`No setting is called “${query.trim()}”`}
      what="Names, keys and help are looked through; values are not."
      next="Try a shorter part of the name."
    >
      <Button onClick={onClear}>Clear the filter</Button>
    </EmptyState>
  );
}

interface SettingsListProps {
  readonly settings: SettingsState;
  readonly query: string;
  readonly onClear: () => void;
  /** The part that shows the connections, in place of the settings that describe them. */
  readonly connections: ReactNode;
}

function SettingsList({ settings, query, onClear, connections }: SettingsListProps) {
  const found = filterSettings(settings, query);
  const values = found.values.filter(({ key }) => !isOfConnections(key));
  const { secrets } = found;
  const contexts = contextNames(settings.values);
  const hasConnections = isAboutConnections(query);
  if (values.length + secrets.length === 0 && !hasConnections) return <NothingFound query={query} onClear={onClear} />;
  return (
    <div className="settings">
      <SettingsProblems problems={settings.problems} />
      {hasConnections && connections}
      {groupSettings(values).map((group) => (
        <Section key={group.title} title={group.title}>
          {group.values.map((setting) => (
            <SettingRow key={setting.key} setting={setting} contexts={contexts} />
          ))}
        </Section>
      ))}
      {secrets.length > 0 && (
        <Section title="Secrets">
          {secrets.map((secret) => (
            <SecretRow key={secret.name} secret={secret} />
          ))}
        </Section>
      )}
      {query.trim() === '' && <About />}
    </div>
  );
}

function summaryOf({ values, problems }: SettingsState): string {
  const changed = values.filter(({ isDefault }) => !isDefault).length;
  const words = changed === 0 ? 'all at their defaults' : `${formatCount(changed)} changed`;
  return problems.length === 0 ? `${words} · applied at once` : `${words} · ${formatCount(problems.length)} unusable`;
}

export function SettingsView({ connections }: { readonly connections: ReactNode }) {
  const settings = useSnapshot('settings.current');
  const [query, setQuery] = useState('');
  const filter = useRef<HTMLInputElement>(null);
  useActions(
    useMemo(
      () => [
        {
          id: 'settings.filter',
          title: 'Filter the settings',
          group: 'Settings',
          keys: ['/'],
          run: () => filter.current?.focus(),
        },
      ],
      [],
    ),
  );
  if (settings === undefined)
    return (
      <ViewFrame title="Settings">
        <p className="settings-late late dim">Reading the settings…</p>
      </ViewFrame>
    );
  return (
    <ViewFrame title="Settings" summary={summaryOf(settings)}>
      <Toolbar path={settings.path} query={query} filterRef={filter} onQuery={setQuery} />
      <SettingsList settings={settings} query={query} connections={connections} onClear={() => setQuery('')} />
    </ViewFrame>
  );
}
