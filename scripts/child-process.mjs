// Child processes of the scripts: one that is run to its end with its output kept, and how npm is called.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';

/** The exit code that a shell would report for a process that ended with `code` or by `signal`. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/**
 * Runs a command to its end. Its output is kept (stdout whole, stderr in `lines` and handed to `onLine`), unless
 * `inherit` is set. Never rejects for an exit code; a command that cannot be started gives code 127.
 * With `signal` the process is killed when it aborts.
 */
export function run(command, args, { cwd, env = process.env, inherit = false, onLine, statusFd, signal } = {}) {
  return new Promise((resolve) => {
    const stdio = inherit ? 'inherit' : ['ignore', 'pipe', 'pipe', ...(statusFd ? ['pipe'] : [])];
    const child = spawn(command, args, { cwd, env, stdio, signal, killSignal: 'SIGKILL' });
    const lines = [];
    let stdout = '';
    let failure;
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    if (child.stderr) {
      eachLine(child.stderr, (line) => {
        lines.push(line);
        if (lines.length > 400) lines.shift();
        onLine?.(line);
      });
    }
    if (child.stdio[3]) eachLine(child.stdio[3], statusFd);
    child.on('error', (error) => {
      failure = error;
      if (error.code === 'ENOENT') resolve({ code: 127, stdout, lines, failure });
    });
    child.on('close', (code, killedBy) => resolve({ code: exitCodeOf(code, killedBy), stdout, lines, failure }));
  });
}

/** Calls `onLine` for every full line of a stream, and for the rest at its end. */
export function eachLine(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = parts.pop();
    for (const part of parts) onLine(part);
  });
  stream.on('end', () => {
    if (rest) onLine(rest);
  });
}

/** Command and leading arguments that run npm: the one that runs us if any, else the one on the PATH. */
export function npmCommand(env = process.env) {
  const script = env.npm_execpath;
  if (script && basename(script) === 'npm-cli.js') return { command: process.execPath, args: [script] };
  return { command: 'npm', args: [] };
}

/** The last lines of a failed command's output, indented, for an error message. */
export function tailOf(lines, count = 12) {
  return lines
    .filter((line) => line.trim())
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}
