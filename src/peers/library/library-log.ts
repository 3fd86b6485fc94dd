/** What a connection of the library tells its program: entries for `onLog`, and nothing on stdout or stderr. */
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger, LogLevel } from '../../engine/ports/logger.ts';
import { createUuid, type Randomness } from '../../engine/ports/randomness.ts';
import type { Output } from '../cli/output.ts';
import type { EventLog } from '../event-log.ts';
import { inOptionWords } from './connect-options.ts';
import type { LogEntry } from './library-api.ts';

export interface LibraryLog {
  readonly logger: Logger;
  /** What a peer tells of its work. */
  readonly log: EventLog;
  /** What parts of the command line say to people. */
  readonly output: Output;
}

/** Creates it; a listener that throws harms nobody. */
export function createLibraryLog(
  onLog: ((entry: LogEntry) => void) | undefined,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
): LibraryLog {
  function tell(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    try {
      onLog?.({ ...fields, at: new Date(clock.now()).toISOString(), level, event });
    } catch {
      // Its own fault, and nobody else is left to be told.
    }
  }

  const talk = (text: string): void => tell('info', 'talk', { message: inOptionWords(text.replace(/^vak: /, '')) });
  const nothing = (): void => {};
  return {
    logger: {
      debug: (event, fields) => tell('debug', event, fields),
      info: (event, fields) => tell('info', event, fields),
      warn: (event, fields) => tell('warn', event, fields),
      error: (event, fields) => tell('error', event, fields),
      bug(event, thrown) {
        const id = createUuid(clock, randomness);
        const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : `thrown ${typeof thrown}`;
        tell('error', event, { bug: id, stack });
        return id;
      },
    },
    log(event, fields = {}) {
      const { server } = fields;
      tell('info', event, typeof server === 'string' ? { ...fields, server: inOptionWords(server) } : fields);
    },
    output: {
      ...{ data: nothing, change: nothing, print: nothing, configure: nothing, talk, complain: talk },
      isQuiet: () => false,
      isTaken: async () => true,
      flush: async () => undefined,
      failure: () => undefined,
    },
  };
}
