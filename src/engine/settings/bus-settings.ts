/**
 * What of the settings decides about the bus (product.md "Configuration").
 * Law: no secret is in it; `natsUrl` stands above the context.
 */
import { hash } from 'node:crypto';
import { VakError } from '../../shared/base/vak-error.ts';
import { type ContextKind, type Settings, settingAt, settingKeys } from '../../shared/settings/settings-schema.ts';

/** What the live bus is built from; whoever runs it builds it anew when this changes. */
export interface BusSettings {
  /** Context in force. `natsUrl` of the file, where set, stands above it. */
  readonly context: string;
  readonly kind: ContextKind;
  readonly natsUrl: string | null;
  readonly readOnly: boolean;
  readonly workspaceSecretEnv: string;
}

/** What a change of the settings changed. */
export interface SettingsChange {
  /** Flat keys whose value in force is another now. */
  readonly keys: readonly string[];
  /** Whether `busSettings` gives something else. */
  readonly isBus: boolean;
}

/** Bus of a context, else of the current one. Throws `not-found`. */
export function busSettingsOf(settings: Settings, name = settings.currentContext): BusSettings {
  const context = settings.contexts.find((one) => one.name === name);
  if (context === undefined)
    throw new VakError('not-found', 'context: there is none of this name; see "vak config get"');
  const { workspaceSecretEnv } = settings;
  const common = { context: context.name, readOnly: context.readOnly, workspaceSecretEnv };
  if (settings.natsUrl !== null) return { ...common, kind: 'remote', natsUrl: settings.natsUrl };
  return { ...common, kind: context.kind, natsUrl: context.kind === 'remote' ? context.natsUrl : null };
}

/**
 * Names the engine that a context, else the current one, leads to, for what is kept for that engine alone: a name of a folder. Of a
 * remote one its address, whatever the context is called: another server under the same name is another destination.
 */
export function destinationOf(settings: Settings, name?: string): string {
  const { kind, natsUrl } = busSettingsOf(settings, name);
  if (natsUrl === null) return kind;
  const servers = natsUrl.split(',').map((url) => url.trim().toLowerCase().replace(/\/$/, ''));
  const [first = ''] = servers.sort();
  const legible = first
    .replace(/^[a-z]+:\/\//, '')
    .replaceAll(/[^a-z0-9.-]/g, '_')
    .slice(0, 64);
  return `at_${legible}.${hash('sha256', servers.join(','), 'hex').slice(0, 16)}`;
}

/** Compares two readings. */
export function changeBetween(before: Settings, after: Settings): SettingsChange {
  const keys = new Set([...settingKeys(before), ...settingKeys(after)]);
  const isBus = JSON.stringify(busSettingsOf(before)) !== JSON.stringify(busSettingsOf(after));
  return { keys: [...keys].filter((key) => settingAt(before, key) !== settingAt(after, key)), isBus };
}
