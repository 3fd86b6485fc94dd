/** Starts tests/support/managed-owner.ts: another process that owns the managed server of a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildTestPrograms } from './test-programs.ts';

export interface ManagedOwner {
  readonly process: ChildProcess;
  /** Resolves when it is dead. */
  kill(): Promise<void>;
  /** Of the server that it started. */
  readonly serverPid: number;
}

/** Resolves when its server runs. `natsServer`: path of the program. */
export async function startManagedOwner(folder: string, natsServer: string): Promise<ManagedOwner> {
  const { managedOwner } = await buildTestPrograms();
  const child = spawn(process.execPath, [managedOwner, folder, natsServer], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [''])])) as unknown[];
  const serverPid = Number.parseInt(String(line), 10);
  if (!(serverPid > 0)) throw new Error('the owner of a managed server told no pid');
  return {
    ...{ process: child, serverPid },
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
