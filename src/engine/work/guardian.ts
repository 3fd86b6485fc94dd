/**
 * A shell process that outlives this one by a moment, to end what this one started.
 * Law: whatever way this process dies, the pipe to the guardian closes, and then no listed group is left alive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Logger } from '../ports/logger.ts';

export interface Guardian extends Disposable {
  /** Lists a process group, by its leader's pid. */
  add(group: number): void;
  /** Strikes a group off: it is over. */
  remove(group: number): void;
  /** Pid of the shell; null while there is none. */
  readonly pid: number | null;
}

/** What a guardian is made of. */
export interface GuardianOptions {
  readonly logger: Logger;
  /** `NAME=value` that all processes of the session carry in their environment. */
  readonly marker: string;
}

/** How often a guardian that was killed is replaced. */
const maxReplacements = 5;

/**
 * POSIX sh. `$1` is the marker. It deafens itself to what a terminal sends its foreground group.
 * On Linux it also finds marked processes that left their group; elsewhere the glob matches nothing.
 */
const guardianScript = `
trap '' HUP INT QUIT TERM PIPE TSTP TTIN TTOU USR1 USR2
groups=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) kept=
        for g in $groups; do [ "$g" = "\${line#-}" ] || kept="$kept $g"; done
        groups=$kept ;;
    bye) exit 0 ;;
  esac
done
exec 2>/dev/null
marked() { grep -lzxF -- "$1" /proc/[0-9]*/environ | sed 's/[^0-9]//g'; }
send() {
  for g in $groups; do kill -s "$1" -- "-$g"; done
  for p in $(marked "$2"); do kill -s "$1" "$p"; done
}
alive() {
  for g in $groups; do kill -0 -- "-$g" && return 0; done
  [ -n "$(marked "$1")" ]
}
send TERM "$1"
n=0
while [ $n -lt 15 ] && alive "$1"; do
  sleep 0.1 || sleep 1
  n=$((n + 1))
done
send KILL "$1"
sleep 0.1
send KILL "$1"
`;

/** Starts the guardian of this process. Without a /bin/sh it logs that and guards nothing. */
export function createGuardian({ logger, marker }: GuardianOptions): Guardian {
  const groups = new Set<number>();
  let shell: ChildProcess | undefined;
  let replacements = 0;
  let isDisposed = false;

  function tell(line: string): void {
    // A guardian that has gone is replaced, and then told everything.
    if (shell?.stdin?.writable) shell.stdin.write(`${line}\n`);
  }

  function start(): void {
    const child = spawn('/bin/sh', ['-c', guardianScript, 'vak-guardian', marker], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    });
    shell = child;
    child.stdin.on('error', () => {});
    child.on('error', (error) => logger.warn('guardian.failed', { message: error.message }));
    child.on('exit', () => replace(child));
    child.unref();
    // Neither the process nor the pipe may keep this one alive; at run time the pipe is a socket.
    (child.stdin as unknown as { unref?: () => void }).unref?.();
    for (const group of groups) tell(`+${group}`);
  }

  function replace(gone: ChildProcess): void {
    if (isDisposed || shell !== gone) return;
    shell = undefined;
    if (++replacements > maxReplacements) {
      logger.error('guardian.gave-up', { replacements: maxReplacements });
      return;
    }
    logger.warn('guardian.replaced', { replacements });
    start();
  }

  start();
  return {
    add(group) {
      groups.add(group);
      tell(`+${group}`);
    },
    remove(group) {
      groups.delete(group);
      tell(`-${group}`);
    },
    get pid() {
      return shell?.pid ?? null;
    },
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      // With groups still listed the end of the pipe makes it end them.
      if (groups.size === 0) tell('bye');
      shell?.stdin?.end();
    },
  };
}
