/**
 * Processes as `ps` tells them, for macOS and other systems without /proc.
 * Law: a line that is not understood is skipped; no `ps` means no rows.
 */
import { execFile } from 'node:child_process';
import { type ProcessRow, type ProcessTable, withDescendantRows } from './process-rows.ts';

const psColumns = 'pid=,ppid=,pgid=,stat=,rss=,time=';

/** CPU time as `ps` prints it, `[[days-]hours:]minutes:seconds[.fraction]`, in ms; NaN for anything else. */
export function parseCpuTime(text: string): number {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) return Number.NaN;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** Parses the output of `ps -A -o pid=,ppid=,pgid=,stat=,rss=,time=`; sizes there are KiB. */
export function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, stat, rss, time, ...rest] = line.trim().split(/\s+/);
    if (time === undefined || rest.length > 0) return [];
    const row: ProcessRow = {
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: null,
      isZombie: (stat ?? '').startsWith('Z'),
      cpuMs: parseCpuTime(time),
      collectedCpuMs: 0,
      rssBytes: Number(rss) * 1024,
      startedMs: null,
    };
    const isWhole = [row.pid, row.ppid, row.pgid, row.cpuMs, row.rssBytes].every(Number.isFinite);
    return isWhole ? [row] : [];
  });
}

/** Finds in the output of `ps -A -E -ww -o pid=,command=` the processes that show an environment entry. */
export function parsePsEnvironment(text: string, entry: string): number[] {
  return text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const pid = Number(words[0]);
    return Number.isInteger(pid) && words.indexOf(entry) > 1 ? [pid] : [];
  });
}

function runPs(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    // A process that vanishes makes some versions exit with 1 after a good listing: what was printed counts.
    execFile('ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 10_000 }, (_error, stdout) =>
      resolve(stdout ?? ''),
    );
  });
}

/** Creates the table over `ps`. */
export function createPsProcessTable(): ProcessTable {
  const all = async (): Promise<ProcessRow[]> => parsePs(await runPs(['-A', '-o', psColumns]));
  return {
    all,
    withDescendants: async (pids) => withDescendantRows(await all(), new Set(pids)),
    withEnvironment: async (entry) =>
      parsePsEnvironment(await runPs(['-A', '-E', '-ww', '-o', 'pid=,command=']), entry),
    // Nothing here is told in uptime.
    uptimeMs: () => 0,
  };
}
