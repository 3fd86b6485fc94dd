/** What a peer that runs for days tells: one JSON value a line on stderr, `{at, event, …}` (cli.md). */

import { createCalmLines } from './calm-lines.ts';
import type { CliHost } from './cli/command.ts';

/** `at` is RFC 3339; fields that are undefined are left out. */
export type EventLog = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * Creates the log of a program; with `--quiet` it tells nothing. Of `refused` records, which anybody may write and which lie in a stream for
 * long, the first of a while are told, and then `{event: "refused", more}`.
 */
export function createEventLog({ output, clock }: Pick<CliHost, 'output' | 'clock'>): EventLog {
  const write: EventLog = (event, fields = {}) =>
    output.talk(JSON.stringify({ at: new Date(clock.now()).toISOString(), event, ...fields }));
  const refused = createCalmLines({ clock, more: (count) => write('refused', { more: count }) });
  return (event, fields) => {
    if (event === 'refused') return refused.say(() => write(event, fields));
    if (event === 'stopped') refused.sum();
    write(event, fields);
  };
}
