/**
 * The process table of the platform that this process runs on.
 * Law: the only place that knows which platform has which.
 */
import type { ProcessTable } from './process-rows.ts';
import { createLinuxProcessTable } from './process-table-linux.ts';
import { createPsProcessTable } from './process-table-ps.ts';

/** Creates the table of this platform. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === 'linux' ? createLinuxProcessTable() : createPsProcessTable();
}
