/** The frame of every screen in front of the workbench: the app's name, what this screen is, one column. */
import { type ReactNode, useEffect } from 'react';
import './gate.css';

export interface GateFrameProps {
  /** In the title bar and the window's title: "Locked". */
  readonly name: string;
  readonly testId: string;
  readonly children: ReactNode;
}

export function GateFrame({ name, testId, children }: GateFrameProps) {
  useEffect(() => {
    document.title = `${name} — Vak Workbench`;
  }, [name]);
  return (
    <div className="gate" data-testid={testId}>
      <header className="gate-bar">
        <strong>Vak Workbench</strong>
        <span className="dim">{name}</span>
      </header>
      <main className="gate-middle">
        <div className="gate-column">{children}</div>
      </main>
    </div>
  );
}

export interface GateTitleProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** What this is, and why it is shown. */
  readonly children: ReactNode;
}

export function GateTitle({ icon, title, children }: GateTitleProps) {
  return (
    <div className="gate-title">
      {icon}
      <h1>{title}</h1>
      <div className="gate-words">{children}</div>
    </div>
  );
}
