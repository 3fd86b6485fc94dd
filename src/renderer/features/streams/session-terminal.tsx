/** The terminal of one session: xterm's DOM renderer, for reading only. */
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { numberSetting } from '../../state/number-setting.ts';
import { readToken, useThemeVersion } from '../../ui/use-theme.ts';
import { useWorkbench } from '../../workbench.tsx';
import { openStrictly } from './strict-terminal.ts';
import { guardTerminal } from './terminal-guard.ts';
import type { TerminalSink } from './terminal-replay.ts';
import '@xterm/xterm/css/xterm.css';
import './session-terminal.css';

const fontSizePx = 12;
/** WCAG AA; it also undoes text in the colour of its ground. */
const minimumContrast = 4.5;

const ansiNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

function themeAt(element: Element): ITheme {
  const token = (name: string): string => readToken(element, name);
  const ansi = Object.fromEntries(
    ansiNames.flatMap((name) => [
      [name, token(`--ansi-${name}`)],
      [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, token(`--ansi-bright-${name}`)],
    ]),
  );
  return {
    ...ansi,
    background: token('--inset'),
    foreground: token('--text'),
    cursor: token('--dim'),
    selectionBackground: token('--selected'),
    scrollbarSliderBackground: token('--line'),
    scrollbarSliderHoverBackground: token('--field-line'),
    scrollbarSliderActiveBackground: token('--field-line'),
  };
}

const terminalKeys: ReadonlyMap<string, (terminal: Terminal) => void> = new Map([
  ['PageUp', (terminal: Terminal) => terminal.scrollPages(-1)],
  ['PageDown', (terminal: Terminal) => terminal.scrollPages(1)],
  ['ArrowUp', (terminal: Terminal) => terminal.scrollLines(-1)],
  ['ArrowDown', (terminal: Terminal) => terminal.scrollLines(1)],
  ['Home', (terminal: Terminal) => terminal.scrollToTop()],
  ['End', (terminal: Terminal) => terminal.scrollToBottom()],
  ['Escape', (terminal: Terminal) => (terminal.hasSelection() ? terminal.clearSelection() : terminal.blur())],
]);

/** Keys of a terminal that takes no input: scroll, copy, leave. */
function onTerminalKey(terminal: Terminal, event: KeyboardEvent): boolean {
  if (event.type !== 'keydown') return false;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const scroll = isPlain ? terminalKeys.get(event.key) : undefined;
  if (scroll !== undefined) {
    event.preventDefault();
    scroll(terminal);
  } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') {
    event.preventDefault();
    terminal.selectAll();
  }
  // False: xterm sends nothing; the browser's own copy of the selection still happens.
  return false;
}

/** `scrollback`: lines above the screen that are kept. */
function createTerminal(element: HTMLElement, scrollback: number): Terminal {
  const terminal = new Terminal({
    disableStdin: true,
    convertEol: true,
    cursorInactiveStyle: 'outline',
    scrollback,
    fontFamily: readToken(element, '--font-data'),
    fontSize: fontSizePx,
    lineHeight: 1.25,
    minimumContrastRatio: minimumContrast,
    theme: themeAt(element),
  });
  guardTerminal(terminal);
  terminal.attachCustomKeyEventHandler((event) => onTerminalKey(terminal, event));
  return terminal;
}

/** Opens the terminal once its font is there: xterm measures it only then. */
function openFitted(terminal: Terminal, element: HTMLElement): () => void {
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  let isOver = false;
  let observer: ResizeObserver | undefined;
  const open = (): void => {
    if (isOver) return;
    openStrictly(terminal, element);
    observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) fit.fit();
    });
    observer.observe(element);
  };
  document.fonts.load(`${fontSizePx}px ${readToken(element, '--font-data')}`).then(open, open);
  return () => {
    isOver = true;
    observer?.disconnect();
  };
}

function useTerminal(
  home: RefObject<HTMLDivElement | null>,
  onReady: (sink: TerminalSink | undefined) => void,
): Terminal | undefined {
  const [shown, setShown] = useState<Terminal | undefined>();
  const theme = useThemeVersion();
  const { mirror } = useWorkbench();
  const lines = useStore(mirror, (state) => numberSetting(state['settings.current'], 'memory.terminalLines'));
  useEffect(() => {
    const element = home.current;
    if (element === null) return;
    const terminal = createTerminal(
      element,
      numberSetting(mirror.getState()['settings.current'], 'memory.terminalLines'),
    );
    const close = openFitted(terminal, element);
    setShown(terminal);
    onReady({
      write: (text, onTaken) => terminal.write(text, onTaken),
      // Behind what was written before, which is parsed in turns; the app's own reset passes no guard.
      clear: (onTaken) =>
        terminal.write('', () => {
          terminal.reset();
          onTaken();
        }),
    });
    return () => {
      onReady(undefined);
      close();
      terminal.dispose();
    };
  }, [home, onReady, mirror]);
  useEffect(() => {
    if (shown !== undefined) shown.options.scrollback = lines;
  }, [shown, lines]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the colours that are read.
  useEffect(() => {
    if (shown !== undefined && home.current !== null) shown.options.theme = themeAt(home.current);
  }, [shown, home, theme]);
  return shown;
}

export interface SessionTerminalProps {
  readonly label: string;
  /** Given the terminal when it can take text, undefined when it goes. */
  readonly onReady: (sink: TerminalSink | undefined) => void;
  /** Builds the text for screen readers too; costs time with fast output. */
  readonly isSpoken: boolean;
  /** It goes on taking text. */
  readonly isHidden: boolean;
}

export function SessionTerminal({ label, onReady, isSpoken, isHidden }: SessionTerminalProps) {
  const home = useRef<HTMLDivElement>(null);
  const terminal = useTerminal(home, onReady);
  useEffect(() => {
    if (terminal !== undefined) terminal.options.screenReaderMode = isSpoken;
  }, [terminal, isSpoken]);
  return (
    <div className="session-terminal" hidden={isHidden} role="group" aria-label={label} data-testid="session-terminal">
      <div ref={home} className="session-terminal-screen" />
    </div>
  );
}
