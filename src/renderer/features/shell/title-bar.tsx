/** The title bar: which environment this is, the way to everything (⌘K), what needs attention, and how times and colours are shown. */
import { Flag, Monitor, Moon, Search, Sun } from 'lucide-react';
import type { Attention } from '../../../shared/contract/operations-contract.ts';
import { ariaKeys, isApplePlatform } from '../../actions/key-bindings.ts';
import type { ThemeChoice } from '../../state/view-store.ts';
import { attentionWords } from '../../ui/attention-words.ts';
import { formatCount, formatZone } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { KeyHint } from '../../ui/key-hint.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { ConnectionMark } from './connection-mark.tsx';
import './title-bar.css';

const nextTheme: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' };
const themeNames: Readonly<Record<ThemeChoice, string>> = { system: 'the system’s', light: 'light', dark: 'dark' };
const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

function ZoneSwitch() {
  const { setLook } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const other = zone === 'utc' ? 'local' : 'utc';
  const words = { utc: 'UTC', local: `local time, ${formatZone('local', Date.now())}` };
  return (
    <Tooltip content={`Times are in ${words[zone]}. Switch to ${words[other]}`}>
      <button
        type="button"
        className="title-bar-zone"
        aria-label={`Times in ${words[zone]}; switch to ${words[other]}`}
        onClick={() => setLook({ timeZone: other })}
      >
        {zone === 'utc' ? 'UTC' : 'Local'}
      </button>
    </Tooltip>
  );
}

function ThemeSwitch() {
  const { setLook } = useWorkbench();
  const theme = useViewState((state) => state.theme);
  const next = nextTheme[theme];
  return (
    <IconButton
      icon={themeIcons[theme]}
      label={`Theme: ${themeNames[theme]}; switch to ${themeNames[next]}`}
      hint={`Theme is ${themeNames[theme]}. Switch to ${themeNames[next]}`}
      onClick={() => setLook({ theme: next })}
    />
  );
}

/** The number that the window's title and the app's icon show, too, with what it is made of. */
function AlertFlag({ attention }: { readonly attention: Attention }) {
  const { view } = useWorkbench();
  const count = attention.incidentCount + attention.approvalCount;
  if (count === 0) return null;
  const words = `${formatCount(count)} ${count === 1 ? 'thing needs' : 'things need'} an operator: ${attentionWords(attention)}`;
  const place = attention.incidentCount === 0 ? 'approvals' : 'operations';
  const next = `Open the ${attention.incidentCount === 0 ? 'approvals' : 'Operations Center'}`;
  return (
    <Tooltip content={`${words}. ${next}`}>
      <button
        type="button"
        className="title-bar-flag"
        aria-label={`${words}; ${next.toLowerCase()}`}
        data-testid="attention-flag"
        onClick={() => view.setState({ view: place })}
      >
        <Flag aria-hidden="true" />
        {formatCount(count)}
      </button>
    </Tooltip>
  );
}

export interface TitleBarProps {
  readonly attention: Attention;
  readonly onSearch: () => void;
}

export function TitleBar({ attention, onSearch }: TitleBarProps) {
  return (
    <header className="title-bar">
      <ConnectionMark />
      <button
        type="button"
        className="title-bar-search"
        aria-keyshortcuts={ariaKeys('Mod+K', isApplePlatform(navigator.userAgent))}
        aria-haspopup="dialog"
        onClick={onSearch}
      >
        <Search aria-hidden="true" />
        <span className="title-bar-search-words">Search or run…</span>
        <KeyHint keys="Mod+K" />
      </button>
      <div className="title-bar-end">
        <AlertFlag attention={attention} />
        <ZoneSwitch />
        <ThemeSwitch />
      </div>
    </header>
  );
}
