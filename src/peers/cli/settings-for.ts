/** What a command line makes of the settings (cli.md). */
import { readOnlyRefusal } from '../../engine/connections/read-only-fabric.ts';
import { busSettingsOf } from '../../engine/settings/bus-settings.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { CommonOptions } from './command.ts';

/** The settings as the line changes them: what it names goes before them. */
export function settingsFor({ context, connection }: CommonOptions, settings: Settings): Settings {
  const { natsUrl } = connection;
  if (natsUrl === undefined)
    return context === undefined ? settings : { ...settings, natsUrl: null, currentContext: context };
  const name = '--nats-url';
  const line = { name, kind: 'remote', natsUrl, colour: 'grey', readOnly: false } as const;
  return { ...settings, contexts: [line], currentContext: name, natsUrl };
}

/** The settings of a command that brings its server along: the managed one in place of the embedded engine, which no other process reaches. */
export function managingSettings(settings: Settings): Settings {
  if (busSettingsOf(settings).kind !== 'embedded') return settings;
  const context = { name: 'managed', kind: 'managed', natsUrl: null, colour: 'grey', readOnly: false } as const;
  return { ...settings, contexts: [context], currentContext: context.name };
}

/** Throws `read-only` for what changes the bus of a read-only context. A context that is not there is another refusal's. */
export function refuseReadOnly(settings: Settings, common: CommonOptions): void {
  if (common.changes !== 'bus') return;
  const asked = settingsFor(common, settings);
  const context = asked.contexts.find(({ name }) => name === asked.currentContext);
  if (context?.readOnly === true) throw readOnlyRefusal(context.name, common.doing);
}
