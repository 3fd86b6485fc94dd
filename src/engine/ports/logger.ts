/**
 * Structured log lines.
 * Law: a field is a plain value that may be shown; no payload, no secret, no error's stack beyond `bug`.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Logs an unexpected throw with its stack, and returns the id under which it stands in the log. */
  bug(event: string, thrown: unknown): string;
}

/** A logger that hands each line, as one JSON text without a line break, to `write`. */
export function createJsonLogger(write: (line: string) => void, nowMs: () => number, newId: () => string): Logger {
  const log = (level: LogLevel, event: string, fields: LogFields = {}): void => {
    write(JSON.stringify({ at: new Date(nowMs()).toISOString(), level, event, ...fields }));
  };
  return {
    debug: (event, fields) => log('debug', event, fields),
    info: (event, fields) => log('info', event, fields),
    warn: (event, fields) => log('warn', event, fields),
    error: (event, fields) => log('error', event, fields),
    bug(event, thrown) {
      const id = newId();
      const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : `thrown ${typeof thrown}`;
      log('error', event, { bug: id, stack });
      return id;
    },
  };
}

/** A logger that keeps nothing, for tests that do not look at the log. */
export function createSilentLogger(): Logger {
  return createJsonLogger(
    () => {},
    () => 0,
    () => 'silent',
  );
}
