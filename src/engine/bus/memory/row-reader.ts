/**
 * Reads the rows of a range when a store is opened (protocol.md B6).
 * Law: in a sound journal a damaged row stops the opening; in one that is read-only it is skipped, counted and logged.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Journal, JournalRange } from './journal.ts';

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface RowReaderOptions {
  readonly journal: Journal;
  readonly logger: Logger;
  /** Under which a range with skipped rows is logged. */
  readonly event: string;
}

export interface RowReader {
  /** Hands each row to `take`, which may throw `corrupt`. */
  each(range: JournalRange, take: (row: Row) => void): Promise<void>;
}

/** Creates a reader. */
export function createRowReader({ journal, logger, event }: RowReaderOptions): RowReader {
  const isReadOnly = journal.readOnlyReason !== undefined;

  async function readRows(range: JournalRange, take: (row: Row) => boolean): Promise<number> {
    let skipped = 0;
    for await (const row of journal.entries(range)) if (!take(row)) skipped++;
    return skipped;
  }

  return {
    async each(range, take) {
      const skipped = await readRows(range, (row) => {
        try {
          take(row);
          return true;
        } catch (error) {
          if (isReadOnly && isVakError(error, 'corrupt')) return false;
          throw error;
        }
      });
      if (skipped > 0) logger.error(event, { count: skipped });
    },
  };
}
