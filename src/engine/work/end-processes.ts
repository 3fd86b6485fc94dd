/**
 * Ends everything that a command started: its group, its POSIX session, their descendants, and whoever carries the marker.
 * Law: first asked, then killed; never this process, never a group that nobody named; returns with what is left, if anything.
 */
import type { Clock } from '../ports/clock.ts';
import { delay } from '../wait.ts';
import { type ProcessRow, type ProcessTable, withDescendantRows } from './process-rows.ts';

/** Whom to end. */
export interface EndRequest {
  /** Process groups, by the pid of their leader; below 2 is never a group of ours and is ignored. */
  readonly groups: readonly number[];
  /** `NAME=value` in the environment of every process that belongs; null: by group only. */
  readonly marker: string | null;
  /** Time between the request to end and the kill, ms. */
  readonly graceMs: number;
}

/** What became of them. */
export interface EndResult {
  /** Processes that were there and are gone. */
  readonly endedCount: number;
  /** Processes that even a kill did not end (stuck in the kernel, or not ours). */
  readonly remainingPids: readonly number[];
}

/** What ending takes. */
export interface EndDeps {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Sends a signal to a process, or to a group if negative; false if there is none. Tests replace it. */
  readonly sendSignal?: (target: number, signal: NodeJS.Signals) => boolean;
}

const pollMs = 50;
/** How long a killed process may take to vanish, ms. */
const killLimitMs = 3_000;

/** `process.kill` that answers false where there is nobody, or nobody of ours. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

/** Finds the living processes that a request means. */
export async function findProcesses(
  table: ProcessTable,
  request: Pick<EndRequest, 'groups' | 'marker'>,
): Promise<ProcessRow[]> {
  const groups = new Set(request.groups.filter((group) => Number.isSafeInteger(group) && group >= 2));
  const marked = new Set(request.marker === null ? [] : await table.withEnvironment(request.marker));
  const rows = await table.all();
  const roots = new Set<number>();
  for (const row of rows) {
    if (groups.has(row.pgid) || (row.sid !== null && groups.has(row.sid)) || marked.has(row.pid)) roots.add(row.pid);
  }
  roots.delete(process.pid);
  return withDescendantRows(rows, roots).filter((row) => !row.isZombie && row.pid !== process.pid);
}

const identity = (row: ProcessRow): string => `${row.pid} ${row.startedMs}`;

/** The processes of one request, as they come and go. */
function createQuarry(table: ProcessTable, request: EndRequest) {
  const seen = new Map<string, ProcessRow>();
  return {
    /** How many there have been. */
    seenCount: () => seen.size,
    /** The living, by all signs; costs a look at every process. */
    async findAll(): Promise<ProcessRow[]> {
      const found = await findProcesses(table, request);
      for (const row of found) seen.set(identity(row), row);
      return found;
    },
    /** The living among those seen before, and their descendants; if there are none, looks by all signs. */
    async refresh(): Promise<ProcessRow[]> {
      const rows = await table.withDescendants([...seen.values()].map((row) => row.pid));
      const roots = rows.filter((row) => seen.has(identity(row))).map((row) => row.pid);
      const living = withDescendantRows(rows, new Set(roots)).filter((row) => !row.isZombie && row.pid !== process.pid);
      for (const row of living) seen.set(identity(row), row);
      return living.length > 0 ? living : this.findAll();
    },
  };
}

/** Ends what the request means; resolves when all of it is gone, or after grace and kill limit with what remains. */
export async function endProcesses(deps: EndDeps, request: EndRequest): Promise<EndResult> {
  const { table, clock, sendSignal: send = sendSignal } = deps;
  const quarry = createQuarry(table, request);
  const asked = new Set<string>();
  let living = await quarry.findAll();
  const graceEndMs = clock.monotonic() + request.graceMs;
  while (living.length > 0 && clock.monotonic() < graceEndMs) {
    for (const row of living) {
      if (asked.has(identity(row))) continue;
      asked.add(identity(row));
      send(row.pid, 'SIGTERM');
    }
    await delay(clock, pollMs);
    living = await quarry.refresh();
  }
  const killEndMs = clock.monotonic() + killLimitMs;
  while (living.length > 0 && clock.monotonic() < killEndMs) {
    // The group at once, so that a process that forks faster than it is read does not get away.
    const groups = new Set(living.map((row) => row.pgid).filter((group) => request.groups.includes(group)));
    for (const group of groups) send(-group, 'SIGKILL');
    for (const row of living) send(row.pid, 'SIGKILL');
    await delay(clock, pollMs);
    living = await quarry.refresh();
  }
  return { endedCount: quarry.seenCount() - living.length, remainingPids: living.map((row) => row.pid) };
}
