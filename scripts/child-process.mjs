// Child processes of the scripts whose output is read: run to the end, line by line; and how npm and local tools are called.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, join } from 'node:path';

const keptLines = 400;

/** The exit code that a shell would report for a process that ended with `code` or by `signal`. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/**
 * Runs a command to its end and gives `{ code, stdout, lines }`: stdout whole, and the last lines of both streams.
 * `onLine` is called for each line. With `statusLine` the command gets a pipe as file descriptor 3, read line by line.
 * Never rejects: a command that cannot be started has code 127. When `signal` aborts, the process is killed.
 */
export function run(command, args, { cwd, env = process.env, onLine, statusLine, signal } = {}) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe', ...(statusLine ? ['pipe'] : [])];
    const child = spawn(command, args, { cwd, env, stdio, signal, killSignal: 'SIGKILL' });
    const lines = [];
    let stdout = '';
    const keep = (line) => {
      lines.push(line);
      if (lines.length > keptLines) lines.shift();
      onLine?.(line);
    };
    eachLine(child.stdout, (line) => {
      stdout += `${line}\n`;
      keep(line);
    });
    eachLine(child.stderr, keep);
    if (statusLine) eachLine(child.stdio[3], statusLine);
    child.on('error', (error) => {
      if (error.name === 'AbortError') return;
      resolve({ code: 127, stdout, lines: [...lines, error.message] });
    });
    child.on('close', (code, killedBy) => resolve({ code: exitCodeOf(code, killedBy), stdout, lines }));
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

/** Command and leading arguments that run the program `name` of an installed package with this Node. */
export async function packageCommand(projectRoot, packageName, name = packageName) {
  const folder = join(projectRoot, 'node_modules', packageName);
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { command: process.execPath, args: [join(folder, typeof bin === 'string' ? bin : bin[name])] };
}

/** The last lines of a failed command's output, indented, for an error message. */
export function tailOf(lines, count = 12) {
  return lines
    .filter((line) => line.trim())
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}
