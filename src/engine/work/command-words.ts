/**
 * What people read about a command: how it is called, why it could not begin, how it ended.
 * Law: each text says what happened and, where it failed, what to do; none holds more than a line.
 */

import { accessSync, constants, statSync } from 'node:fs';
import { commandTitle } from '../../shared/protocol/command-title.ts';

const shortLength = 120;

/** A command line in one short line, for labels; of a script in it only the first line. */
export function shortCommand(command: readonly string[]): string {
  const [first = '', ...rest] = commandTitle(command).trim().split('\n');
  const line = (rest.length === 0 ? first : `${first} …`).replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= shortLength ? line : `${letters.slice(0, shortLength - 1).join('')}…`;
}

/** Why a command cannot run in a folder, or undefined if it can. */
export function folderProblem(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return `not a folder: ${cwd}; give a folder as cwd`;
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `folder not found: ${cwd}; create it or give another cwd`;
    return `folder cannot be entered: ${cwd} (${code}); give another cwd or its rights`;
  }
}

/** Why a command could not be started, from the system's error code. */
export function spawnProblem(command: readonly string[], code: string | undefined): string {
  const name = shortCommand(command.slice(0, 1)) || '(empty)';
  switch (code) {
    case 'ENOENT':
      return name.includes('/')
        ? `command not found: ${name}; check the path (and the interpreter in its first line)`
        : `command not found: ${name}; check the spelling or give its full path`;
    case 'EACCES':
      return `not executable: ${name}; allow it with chmod +x or choose another command`;
    case 'ENOTDIR':
      return `command not found: ${name}; a part of its path is not a folder`;
    case 'E2BIG':
      return `command line too long for this system: ${name}; pass less in arguments and environment`;
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return `no room to start ${name} (${code}); end other processes and try again`;
    default:
      return `could not start ${name} (${code ?? 'unknown reason'}); run it in a terminal to see why`;
  }
}

/** A duration for people. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}

/** "1 process" or "3 processes". */
export function processCount(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}
