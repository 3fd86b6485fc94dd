// Runs a program in the foreground: our terminal, our signals passed on to it alone, its exit code handed back;
// on Linux without a display under a virtual one.
import { spawn } from 'node:child_process';
import { eachLine, exitCodeOf } from './child-process.mjs';
import { SetUpError } from './report.mjs';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whether a window needs a virtual display: Linux with neither X11 nor Wayland. */
export function needsVirtualDisplay({ platform = process.platform, env = process.env } = {}) {
  return platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY;
}

/**
 * The command line under a virtual display. The shell tells its process id on file descriptor 3 and becomes the
 * program, so that signals can go to the program alone and the display outlives it.
 */
export function underVirtualDisplay(command, args) {
  const shell = ['sh', '-c', 'echo $$ >&3; exec "$@" 3>&-', 'sh', command, ...args];
  return { command: 'xvfb-run', args: ['-a', '-s', '-screen 0 1920x1080x24', ...shell] };
}

/**
 * What Chromium needs for root on Linux, development and tests only: no process sandbox of its own. The variable tells
 * the app so. `undefined` for everybody else.
 */
export function rootSandbox({ platform = process.platform, uid = process.getuid?.() } = {}) {
  return platform === 'linux' && uid === 0 ? { args: ['--no-sandbox'], env: { VAK_DEV_NO_SANDBOX: '1' } } : undefined;
}

/** The environment for Electron: without the variable (of an editor's terminal, say) that would make a plain Node of it. */
export function electronEnv(env, added = {}) {
  const { ELECTRON_RUN_AS_NODE: _left, ...kept } = env;
  return { ...kept, ...added };
}

/**
 * Runs a program to its end and gives its exit code (128 + number when a signal ended it). SIGINT, SIGTERM and SIGHUP
 * go to the program; a second one ends everything at once. `waitsForRest`: after a signal what the program started is waited for,
 * too, for a while: it still writes where its caller cleans up.
 */
export function runInForeground({ command, args, cwd, env = process.env, isVirtual = false, waitsForRest = false }) {
  const started = isVirtual ? underVirtualDisplay(command, args) : { command, args };
  return new Promise((resolve, reject) => {
    // A group of its own: Ctrl-C in the terminal would reach the program twice, and the second one kills it.
    const detached = process.platform !== 'win32';
    const stdio = ['inherit', 'inherit', 'inherit', ...(isVirtual ? ['pipe'] : [])];
    const child = spawn(started.command, started.args, { cwd, env, stdio, detached });
    const program = followProgram(child, isVirtual);
    let signalCount = 0;
    const forward = (signal) => {
      signalCount += 1;
      if (signalCount === 1) void program.then((pid) => sendSignal(pid, signal));
      else sendSignal(detached ? -child.pid : child.pid, 'SIGKILL');
    };
    for (const signal of passedOn) process.on(signal, forward);
    // Whoever started us may be ended without telling us, as npm is by a signal to itself alone.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      forward('SIGTERM');
    }, 500);
    const settle = (action) => {
      clearInterval(watch);
      for (const signal of passedOn) process.off(signal, forward);
      action();
    };
    child.on('error', (error) =>
      settle(() => reject(new SetUpError(`${started.command} cannot be started: ${error.message}`))),
    );
    child.on('exit', async (code, signal) => {
      if (waitsForRest && detached && signalCount > 0) await groupHasEnded(child.pid);
      settle(() => resolve(exitCodeOf(code, signal)));
    });
  });
}

const restLimitMs = 10_000;

/** Resolves when no process of the group lives, or when that takes too long. */
async function groupHasEnded(pid) {
  for (const endMs = Date.now() + restLimitMs; Date.now() < endMs; ) {
    try {
      process.kill(-pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** From now on a signal that would end us is noted only: `signal()` is the first of them, `code()` the exit code that it stands for. */
export function noteInterruption() {
  let first;
  const note = (signal) => {
    first ??= signal;
  };
  for (const signal of passedOn) process.on(signal, note);
  return {
    signal: () => first,
    code: () => (first === undefined ? undefined : exitCodeOf(null, first)),
  };
}

/**
 * Runs work that starts programs of its own, in the background; the first signal that would end us aborts it instead, so that the
 * caller still has its last word. Gives the exit code of the work, 128 + number when a signal ended it.
 */
export async function runUntilSignal(work) {
  const ending = new AbortController();
  let endedBy;
  const end = (signal) => {
    endedBy ??= signal;
    ending.abort();
  };
  for (const signal of passedOn) process.on(signal, end);
  try {
    const code = await work(ending.signal);
    return endedBy === undefined ? code : exitCodeOf(null, endedBy);
  } finally {
    for (const signal of passedOn) process.off(signal, end);
  }
}

/** The process id that signals go to: the child's, or under a virtual display that of the program once it has started. */
function followProgram(child, isVirtual) {
  if (!isVirtual) return Promise.resolve(child.pid);
  const pipe = child.stdio[3];
  return new Promise((resolve) => {
    eachLine(pipe, (line) => {
      resolve(Number(line));
      pipe.destroy();
    });
  });
}

function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
