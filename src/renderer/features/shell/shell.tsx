/** The frame around every view: title bar, environment line, rail, status bar, palette, sheet of keys, all keys. */
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Attention } from '../../../shared/contract/operations-contract.ts';
import { useKeyDispatch } from '../../actions/use-key-dispatch.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { showQueue } from '../../state/view-store.ts';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { CommandPalette } from './command-palette.tsx';
import { KeysSheet } from './keys-sheet.tsx';
import { type Badges, Rail } from './rail.tsx';
import { createShellActions } from './shell-actions.ts';
import { StatusBar } from './status-bar.tsx';
import { TitleBar } from './title-bar.tsx';
import { titleOfView } from './view-catalog.ts';
import './shell.css';

export interface ShellProps {
  /** What needs an operator now. */
  readonly attention: Attention;
  readonly badges: Badges;
  /** What is said to the user, in a row of its own: it covers nothing. */
  readonly notices: ReactNode;
  /** The views, each in a ViewHost. */
  readonly children: ReactNode;
}

function EnvironmentLine() {
  return <div className="shell-line" style={{ background: useEnvironment()?.colour ?? 'var(--line)' }} />;
}

function useDocumentTitle(): void {
  const view = useViewState((state) => state.view);
  useEffect(() => {
    document.title = `${titleOfView(view)} — Vak Workbench`;
  }, [view]);
}

export function Shell({ attention, badges, notices, children }: ShellProps) {
  const { view, setLook, zoom } = useWorkbench();
  const [open, setOpen] = useState<'palette' | 'keys' | undefined>();
  const close = (): void => setOpen(undefined);
  useActions(
    useMemo(
      () =>
        createShellActions(
          { view, setLook, zoom },
          { openPalette: () => setOpen('palette'), openKeys: () => setOpen('keys') },
        ),
      [view, setLook, zoom],
    ),
  );
  useKeyDispatch();
  useDocumentTitle();
  return (
    <div className="shell">
      <TitleBar attention={attention} onSearch={() => setOpen('palette')} />
      <EnvironmentLine />
      <div className="shell-middle">
        <Rail badges={badges} />
        <main className="shell-view">{children}</main>
      </div>
      {notices}
      <StatusBar />
      <CommandPalette
        isOpen={open === 'palette'}
        onClose={close}
        onChooseQueue={(queue) => showQueue(view, queue)}
        onChooseSession={(selectedSession) => view.setState({ view: 'streams', selectedSession })}
      />
      <KeysSheet isOpen={open === 'keys'} onClose={close} />
    </div>
  );
}
