/** Which processes of a test's app are alive, asked of the machine itself (/proc); nothing of the product is trusted here. */
import { readdirSync, readFileSync } from 'node:fs';

/** A living process; zombies are not listed. */
export interface Living {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
  /** `NAME=value` entries of its environment at its start. */
  readonly environment: readonly string[];
}

function readProcess(pid: string): Living | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = '', group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
      environment: readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'),
    };
  } catch {
    // It has gone since the folder was read, or belongs to somebody else.
    return undefined;
  }
}

/** Every living process that we may look at. */
function listLiving(): Living[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(pid) ?? []);
}

/**
 * Processes of one app: its mark is inherited by all that it starts. Chromium's own children overwrite their environment
 * and are known by the profile on their command line.
 */
export function livingOf(mark: string, profile: string): Living[] {
  return listLiving().filter(
    ({ environment, command }) => environment.includes(mark) || command.includes(`--user-data-dir=${profile}`),
  );
}

/** Everything below a process, whatever it did with its environment and its command line. */
export function descendantsOf(pid: number): Living[] {
  const all = listLiving();
  const below = (parent: number): Living[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

/** Processes of one session's commands, whatever became of their worker. */
export function livingOfSession(session: string): Living[] {
  return listLiving().filter(({ environment }) => environment.includes(`VAK_SESSION=${session}`));
}

/** Guardians of these sessions: they have no environment of their own, but name the session on their command line. */
export function livingGuardians(sessions: readonly string[]): Living[] {
  return listLiving().filter(
    ({ command }) => command.includes('vak-guardian') && sessions.some((session) => command.includes(session)),
  );
}

/** One line a process, for the message of a failed check. */
export function describeLiving(processes: readonly Living[]): string[] {
  return processes.map(({ pid, command }) => {
    const guarded = /vak-guardian (\S+)/.exec(command)?.[1];
    return `${pid} ${guarded === undefined ? command.slice(0, 160) : `guardian of ${guarded}`}`;
  });
}
