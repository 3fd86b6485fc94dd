/** Builds tests/support/managed-owner.ts into a folder of its own, and runs it as a real process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface ManagedOwner {
  readonly process: ChildProcess;
  /** Of the server that it started. */
  readonly serverPid: number;
}

export interface BuiltManagedOwner {
  /** Resolves when its server runs. `program`: path of nats-server. */
  start(folder: string, program: string): Promise<ManagedOwner>;
  remove(): Promise<void>;
}

export async function buildManagedOwner(): Promise<BuiltManagedOwner> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-managed-owner-'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  await build({
    ...{ configFile: false, logLevel: 'error', root },
    ssr: { noExternal: true },
    build: {
      ...{ ssr: true, target: 'node20.18', outDir: folder, emptyOutDir: false },
      rollupOptions: {
        input: { owner: join(root, 'tests/support/managed-owner.ts') },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return {
    async start(serverFolder, program) {
      const child = spawn(process.execPath, [join(folder, 'owner.mjs'), serverFolder, program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await Promise.race([
        once(child.stdout, 'data'),
        once(child, 'exit').then(() => ['']),
      ])) as unknown[];
      const serverPid = Number.parseInt(String(line), 10);
      if (!(serverPid > 0)) throw new Error('the owner of a managed server told no pid');
      return { process: child, serverPid };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
