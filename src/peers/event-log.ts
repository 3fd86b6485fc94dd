/** What a peer that runs for days tells: one JSON value a line on stderr, `{at, event, …}` (cli.md). */
import type { CliHost } from './cli/command.ts';

/** `at` is RFC 3339; fields that are undefined are left out. */
export type EventLog = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Creates the log of a program; with `--quiet` it tells nothing. */
export function createEventLog({ output, clock }: Pick<CliHost, 'output' | 'clock'>): EventLog {
  return (event, fields = {}) =>
    output.talk(JSON.stringify({ at: new Date(clock.now()).toISOString(), event, ...fields }));
}
