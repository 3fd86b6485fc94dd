/** A titled part of the page; `name` is what a jump to it asks for. */
import type { ReactNode } from 'react';

export interface SettingsSectionProps {
  readonly title: string;
  readonly name?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function SettingsSection({ title, name, actions, children }: SettingsSectionProps) {
  return (
    <section className="settings-section" aria-label={title} data-setting={name}>
      <header className="settings-section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}
