/** Who is still alive, asked of the machine itself. */
import { readFileSync } from 'node:fs';
import { sessionMarker } from '../../src/engine/work/command-environment.ts';
import { findProcesses } from '../../src/engine/work/end-processes.ts';
import { createProcessTable } from '../../src/engine/work/process-table.ts';

const table = createProcessTable();

/** Pids of the living processes of a session or of process groups. */
export async function livingProcesses(session: string, groups: readonly number[] = []): Promise<number[]> {
  return (await findProcesses(table, { groups, marker: sessionMarker(session) })).map(({ pid }) => pid);
}

/** Whether a process exists and is no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await table.all()).some((row) => row.pid === pid && !row.isZombie);
}

/** Pid that a command wrote into a file; undefined until it has. */
export function pidIn(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Pids of a process's own living children. */
export async function childrenOf(pid: number): Promise<number[]> {
  return (await table.all()).filter((row) => row.ppid === pid && !row.isZombie).map((row) => row.pid);
}
