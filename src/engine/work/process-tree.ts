/**
 * What a command's whole process tree costs, sample by sample.
 * Law: time that was spent counts once, whoever reports it, and a process that left never makes a figure negative.
 */
import type { Clock } from '../ports/clock.ts';
import { type ProcessRow, type ProcessTable, withDescendantRows } from './process-rows.ts';

/** One sample of a tree. */
export interface TreeUsage {
  readonly pids: readonly number[];
  readonly processes: number;
  readonly rssBytes: number;
  /** Over the time since the sample before; 100 for one full core. 0 in the first sample. */
  readonly cpuPercent: number;
}

/** The rows of a tree at one moment. */
export interface TreeSample {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** Uptime of the machine, ms. */
  readonly uptimeMs: number;
}

/** How often, in samples, all processes are looked at for members that lost their parents. */
const fullScanEvery = 5;

/** The tree of a group's leader: its group, its POSIX session, and the descendants of all of these. */
export function selectTree(rows: readonly ProcessRow[], leader: number): ProcessRow[] {
  const roots = new Set<number>();
  for (const row of rows) {
    if (row.pid === leader || row.pgid === leader || row.sid === leader) roots.add(row.pid);
  }
  return withDescendantRows(rows, roots);
}

const isSame = (a: ProcessRow, b: ProcessRow | undefined): boolean => b !== undefined && a.startedMs === b.startedMs;

/** Nearest ancestor, by the parents of the sample before, that is still there. */
function survivingParent(row: ProcessRow, before: TreeSample, after: TreeSample): number | undefined {
  const seen = new Set<number>([row.pid]);
  for (let parent = before.rows.get(row.ppid); parent !== undefined; parent = before.rows.get(parent.ppid)) {
    if (seen.has(parent.pid)) return undefined;
    seen.add(parent.pid);
    if (isSame(parent, after.rows.get(parent.pid))) return parent.pid;
  }
  return undefined;
}

/**
 * CPU time in ms that a tree spent between two samples. A parent's collected time holds all that its ended children
 * ever spent: what they had spent at the sample before is taken off there.
 */
export function cpuMsBetween(before: TreeSample, after: TreeSample): number {
  const spentBefore = new Map<number, number>();
  for (const row of before.rows.values()) {
    if (isSame(row, after.rows.get(row.pid))) continue;
    const parent = survivingParent(row, before, after);
    if (parent !== undefined) {
      spentBefore.set(parent, (spentBefore.get(parent) ?? 0) + row.cpuMs + row.collectedCpuMs);
    }
  }
  let total = 0;
  for (const row of after.rows.values()) {
    const old = before.rows.get(row.pid);
    if (old !== undefined && isSame(row, old)) {
      const collected = row.collectedCpuMs - old.collectedCpuMs - (spentBefore.get(row.pid) ?? 0);
      total += Math.max(0, row.cpuMs - old.cpuMs) + Math.max(0, collected);
    } else if (row.startedMs === null || row.startedMs >= before.uptimeMs - 20) {
      // Began since (ticks are 10 ms); an older one was only found late, and its past is not of this interval.
      total += row.cpuMs + row.collectedCpuMs;
    }
  }
  return total;
}

/** Watches one tree. */
export interface ProcessTree {
  /** Reads the tree now; undefined once nothing of it is left. */
  sample(): Promise<TreeUsage | undefined>;
}

/** What watching takes: `leader` is the pid that leads the command's process group. */
export interface ProcessTreeOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly leader: number;
}

/** Creates the watch over the tree of a group's leader. */
export function createProcessTree({ table, clock, leader }: ProcessTreeOptions): ProcessTree {
  let last: { readonly sample: TreeSample; readonly atMs: number } | undefined;
  let count = 0;

  async function read(): Promise<readonly ProcessRow[]> {
    const isFull = count++ % fullScanEvery === 0;
    if (isFull) {
      // Members seen before stay members, even if they left the group and their parents are gone.
      const all = await table.all();
      const known = all.filter((row) => isSame(row, last?.sample.rows.get(row.pid))).map((row) => row.pid);
      return withDescendantRows(all, new Set([...selectTree(all, leader).map((row) => row.pid), ...known]));
    }
    const known = last?.sample.rows ?? new Map<number, ProcessRow>();
    const rows = await table.withDescendants([leader, ...known.keys()]);
    const strangers = rows.filter(
      (row) => known.has(row.pid) && !isSame(row, known.get(row.pid)) && row.pid !== leader,
    );
    if (strangers.length === 0) return rows;
    const roots = rows.filter((row) => !strangers.includes(row) && (row.pid === leader || known.has(row.pid)));
    return withDescendantRows(rows, new Set(roots.map((row) => row.pid)));
  }

  return {
    async sample() {
      const uptimeMs = table.uptimeMs();
      const atMs = clock.monotonic();
      const rows = (await read()).filter((row) => row.pid !== process.pid);
      const sample: TreeSample = { rows: new Map(rows.map((row) => [row.pid, row])), uptimeMs };
      const intervalMs = last === undefined ? 0 : atMs - last.atMs;
      const spentMs = last === undefined ? 0 : cpuMsBetween(last.sample, sample);
      last = { sample, atMs };
      const living = rows.filter((row) => !row.isZombie);
      if (living.length === 0) return undefined;
      return {
        pids: living.map((row) => row.pid),
        processes: living.length,
        rssBytes: living.reduce((sum, row) => sum + row.rssBytes, 0),
        cpuPercent: intervalMs > 0 ? Math.round((spentMs / intervalMs) * 1000) / 10 : 0,
      };
    },
  };
}
