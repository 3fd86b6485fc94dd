/**
 * The processes of this machine: who started whom, in which group, at what cost.
 * Law: a process that vanishes while it is read is simply not there; reading never throws.
 */

/** One process at the moment of reading. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  /** Its process group. */
  readonly pgid: number;
  /** Its POSIX session, null where the platform does not tell. */
  readonly sid: number | null;
  /** It has ended and only waits to be collected. */
  readonly isZombie: boolean;
  /** Own CPU time since it began, ms. */
  readonly cpuMs: number;
  /** CPU time of children that have ended and were collected, with theirs, ms; 0 where the platform does not tell. */
  readonly collectedCpuMs: number;
  /** Resident memory; pages that processes share count in each. */
  readonly rssBytes: number;
  /** When it began, ms of the machine's uptime; with `pid` its identity. Null where the platform does not tell. */
  readonly startedMs: number | null;
}

/** Reads processes of this machine. */
export interface ProcessTable {
  /** Every process. */
  all(): Promise<readonly ProcessRow[]>;
  /** These processes and their descendants that are still attached; cheap where the platform allows. */
  withDescendants(pids: readonly number[]): Promise<readonly ProcessRow[]>;
  /** Processes whose environment, as it was at their start, holds exactly `NAME=value`; best effort outside Linux. */
  withEnvironment(entry: string): Promise<readonly number[]>;
  /** Uptime of the machine in ms, on the scale of `startedMs`. */
  uptimeMs(): number;
}

/** Adds to `roots` every row whose chain of parents reaches one of them. */
export function withDescendantRows(rows: readonly ProcessRow[], roots: ReadonlySet<number>): ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.ppid);
    if (siblings === undefined) children.set(row.ppid, [row]);
    else siblings.push(row);
  }
  const found = new Map<number, ProcessRow>();
  const waiting = rows.filter((row) => roots.has(row.pid));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    if (found.has(row.pid)) continue;
    found.set(row.pid, row);
    waiting.push(...(children.get(row.pid) ?? []));
  }
  return [...found.values()];
}
