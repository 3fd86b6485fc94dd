/** What a command line makes of the settings (cli.md). */
import { readOnlyRefusal } from '../../engine/connections/read-only-fabric.ts';
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

/** Throws `read-only` for what changes the bus of a read-only context. A context that is not there is another refusal's. */
export function refuseReadOnly(settings: Settings, common: CommonOptions): void {
  if (common.changes !== 'bus') return;
  const asked = settingsFor(common, settings);
  const context = asked.contexts.find(({ name }) => name === asked.currentContext);
  if (context?.readOnly === true) throw readOnlyRefusal(context.name, common.doing);
}
