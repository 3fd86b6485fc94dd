/** A logger whose lines of JSON a test reads; every bug has the id `bug-1`. */
import { createJsonLogger, type Logger } from '../../src/engine/ports/logger.ts';

/** Adds to `lines`; each was written at 0 unless `now` tells. */
export function createLineLogger(lines: string[], now: () => number = () => 0): Logger {
  return createJsonLogger(
    (line) => lines.push(line),
    now,
    () => 'bug-1',
  );
}
