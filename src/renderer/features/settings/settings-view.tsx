/** Settings: everything that the file of this profile decides, its secrets by name, and what this app runs on. */
import { Search } from 'lucide-react';
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { Holdings, SettingsState } from '../../../shared/contract/settings-contract.ts';
import { Button } from '../../ui/button.tsx';
import { CopyValue } from '../../ui/copy-value.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { Reading } from '../../ui/view-states.tsx';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { PostureSection } from './posture-section.tsx';
import { RetentionTable } from './retention-table.tsx';
import { RuntimeFacts } from './runtime-facts.tsx';
import { SecretRow } from './secret-row.tsx';
import {
  contextNames,
  filterSettings,
  groupSettings,
  isAboutConnections,
  isAboutPart,
  isOfConnections,
} from './setting-catalog.ts';
import { SettingRow } from './setting-row.tsx';
import { SettingsProblems } from './settings-problems.tsx';
import { SettingsSection } from './settings-section.tsx';
import { useHoldings } from './use-holdings.ts';
import { WorkspaceSecrets } from './workspace-secrets.tsx';
import './settings-view.css';

const pathLength = 64;

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

/** The parts that are no settings and are looked for. */
function foundParts({ workspaceSecrets }: SettingsState, query: string) {
  const ids = workspaceSecrets.map(({ id, state }) => `${id} ${state}`);
  return {
    posture: isAboutPart('posture', query),
    workspaceSecrets: isAboutPart('workspaceSecrets', query, ids),
    retention: isAboutPart('retention', query),
    about: isAboutPart('about', query),
  };
}

/** Groups of settings; what the streams keep stands with the settings that bound it. */
function Groups({ settings, query, holdings }: Pick<SettingsListProps, 'settings' | 'query'> & HoldingsProps) {
  const values = filterSettings(settings, query).values.filter(({ key }) => !isOfConnections(key));
  const contexts = contextNames(settings.values);
  const groups = groupSettings(values);
  const hasTable = isAboutPart('retention', query);
  const isLone = hasTable && !groups.some(({ title }) => title === 'Retention');
  return (
    <>
      {groups.map(({ title, values: own }) => (
        <SettingsSection key={title} title={title} {...(title === 'Retention' ? { name: 'retention' } : {})}>
          {own.map((setting) => (
            <SettingRow key={setting.key} setting={setting} contexts={contexts} />
          ))}
          {title === 'Retention' && <RetentionTable holdings={holdings} />}
        </SettingsSection>
      ))}
      {isLone && (
        <SettingsSection title="Retention" name="retention">
          <RetentionTable holdings={holdings} />
        </SettingsSection>
      )}
    </>
  );
}

interface HoldingsProps {
  readonly holdings: Holdings | undefined;
}

function SettingsList({ settings, query, onClear, connections }: SettingsListProps) {
  const found = filterSettings(settings, query);
  const holdings = useHoldings();
  const parts = foundParts(settings, query);
  const hasConnections = isAboutConnections(query);
  const count = found.values.filter(({ key }) => !isOfConnections(key)).length + found.secrets.length;
  const isEmpty = count === 0 && !hasConnections && !Object.values(parts).includes(true);
  if (isEmpty) return <NothingFound query={query} onClear={onClear} />;
  const natsUrl = settings.values.find(({ key }) => key === 'natsUrl')?.value;
  return (
    <div className="settings">
      <SettingsProblems problems={settings.problems} />
      {parts.posture && <PostureSection natsUrl={typeof natsUrl === 'string' ? natsUrl : null} />}
      {hasConnections && connections}
      {parts.workspaceSecrets && (
        <WorkspaceSecrets secrets={settings.workspaceSecrets} sealingKey={holdings?.sealingKey ?? null} />
      )}
      <Groups settings={settings} query={query} holdings={holdings} />
      {found.secrets.length > 0 && (
        <SettingsSection title="Secrets of the connection" name="secrets">
          {found.secrets.map((secret) => (
            <SecretRow key={secret.name} secret={secret} />
          ))}
        </SettingsSection>
      )}
      {parts.about && (
        <SettingsSection title="This app">
          <RuntimeFacts />
        </SettingsSection>
      )}
    </div>
  );
}

/** Brings what another view, or the palette, asks for into view with the focus. */
function useWantedSetting(page: RefObject<HTMLDivElement | null>, isKnown: boolean, clear: () => void): void {
  const { view } = useWorkbench();
  const wanted = useViewState((state) => (state.wanted?.kind === 'setting' ? state.wanted.key : undefined));
  useEffect(() => {
    if (wanted === undefined || !isKnown) return;
    clear();
    view.setState({ wanted: null });
    // After the filter is gone: what is asked for may not be in the page before.
    requestAnimationFrame(() => {
      const found = page.current?.querySelector<HTMLElement>(`[data-setting="${CSS.escape(wanted)}"]`);
      found?.scrollIntoView({ block: 'center' });
      found?.querySelector<HTMLElement>('input, select, button, summary, a')?.focus({ preventScroll: true });
    });
  }, [view, wanted, isKnown, clear, page]);
}

function summaryOf({ values, problems }: SettingsState): string {
  const changed = values.filter(({ isDefault }) => !isDefault).length;
  const waiting = values.filter(({ isWaiting }) => isWaiting).length;
  const words = [
    changed === 0 ? 'all at their defaults' : `${formatCount(changed)} changed`,
    waiting > 0 && `${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for the next start`,
    problems.length > 0 && `${formatCount(problems.length)} unusable`,
  ];
  return words.filter((word) => word !== false).join(' · ');
}

/** The filter is kept as what was typed. */
const filterDraft = 'settings.filter';

export function SettingsView({ connections }: { readonly connections: ReactNode }) {
  const settings = useSnapshot('settings.current');
  const { view } = useWorkbench();
  const query = useViewState((state) => state.drafts[filterDraft] ?? '');
  const setQuery = useCallback(
    (text: string) => view.setState(({ drafts }) => ({ drafts: { ...drafts, [filterDraft]: text } })),
    [view],
  );
  const filter = useRef<HTMLInputElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const clear = useCallback(() => setQuery(''), [setQuery]);
  useWantedSetting(page, settings !== undefined, clear);
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
        <Reading words="Reading the settings…" />
      </ViewFrame>
    );
  return (
    <ViewFrame title="Settings" summary={summaryOf(settings)}>
      <Toolbar path={settings.path} query={query} filterRef={filter} onQuery={setQuery} />
      <div ref={page}>
        <SettingsList settings={settings} query={query} connections={connections} onClear={clear} />
      </div>
    </ViewFrame>
  );
}
