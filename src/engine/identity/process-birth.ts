/**
 * Which process a pid means: pids are used again, a pid with the time of its birth is not.
 * Law: a zombie is dead; where the platform tells nothing, a process that exists counts as the one meant.
 */
import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Of a living process whose birth the platform does not tell. */
const untold = 'untold';

/** Whether a process of that id exists at all. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of proc(5)'s stat line; undefined for a zombie. The name may hold anything: read from its last parenthesis on. */
function birthInStat(line: string): string | undefined {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const isDead = ['Z', 'X', 'x'].includes(fields[0] ?? '');
  return isDead ? undefined : (fields[19] ?? untold);
}

function birthInProc(pid: number): string | undefined {
  try {
    return birthInStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    // Vanished; or /proc is not there.
    return exists(pid) ? untold : undefined;
  }
}

function birthByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { encoding: 'utf8', timeout: 5000, env: { LC_ALL: 'C', TZ: 'UTC0' } } as const;
    execFile('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options, (_error, stdout) => {
      const [state = '', ...started] = stdout.trim().split(/\s+/);
      if (started.length === 0) resolve(exists(pid) ? untold : undefined);
      else resolve(state.startsWith('Z') ? undefined : started.join(' '));
    });
  });
}

/** When the process was born, in the platform's own words; undefined if it is dead. */
export async function birthOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? birthInProc(pid) : await birthByPs(pid);
}

/** Whether two births may be of one process. */
export function isSameBirth(a: string, b: string): boolean {
  return a === b || a === untold || b === untold;
}

/** Where pids of this process mean something: one boot of one machine, one namespace of pids. */
export function birthPlace(): string {
  if (process.platform !== 'linux') return process.platform;
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return process.platform;
  }
}
