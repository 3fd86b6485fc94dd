/**
 * Real pipes for a command's output. Node's own "pipes" are sockets, and a socket cannot be opened again:
 * `echo x > /dev/stderr` would fail in every script.
 * Law: the files that name the pipes are gone before the command runs; without mkfifo the command still runs, on sockets.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { OutputStream } from './command-output.ts';

export interface CommandPipes {
  /** Our ends. */
  readonly readable: Readonly<Record<OutputStream, Readable>>;
  /** The command's ends, for `stdio`: stdout, stderr. */
  readonly writeFds: readonly [number, number];
  /** Closes the command's ends here; to be called once it has been started, else reading never ends. */
  closeWriteEnds(): void;
  /** Closes everything: the command could not be started. */
  destroy(): void;
}

const folderPrefix = 'vak-pipes-';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes what processes left that were killed in the moment between making their pipes and opening them. Never throws. */
export function removeStalePipes(): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      const pid = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1];
      if (pid === undefined || isRunning(Number(pid))) continue;
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    }
  } catch {
    // Not readable, or not ours to remove: they are two empty files.
  }
}

function makeFifos(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('mkfifo', ['-m', '600', ...paths], { timeout: 5_000 }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}

/** Opens both ends: first ours, without blocking, then the command's, which finds a reader. */
function openEnds(path: string): { readonly readFd: number; readonly writeFd: number } {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/** Makes the two pipes of a command; undefined where the system gives none. */
export async function createCommandPipes(): Promise<CommandPipes | undefined> {
  let folder: string | undefined;
  const opened: number[] = [];
  try {
    folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`));
    const paths = [join(folder, 'stdout'), join(folder, 'stderr')] as const;
    await makeFifos(paths);
    const [out, err] = paths.map((path) => {
      const ends = openEnds(path);
      opened.push(ends.readFd, ends.writeFd);
      return ends;
    }) as [ReturnType<typeof openEnds>, ReturnType<typeof openEnds>];
    const read = (fd: number): Socket => new Socket({ fd, readable: true, writable: false });
    const readable = { stdout: read(out.readFd), stderr: read(err.readFd) };
    const closeWriteEnds = (): void => {
      closeSync(out.writeFd);
      closeSync(err.writeFd);
    };
    return {
      readable,
      writeFds: [out.writeFd, err.writeFd],
      closeWriteEnds,
      destroy() {
        closeWriteEnds();
        readable.stdout.destroy();
        readable.stderr.destroy();
      },
    };
  } catch {
    for (const fd of opened) closeSync(fd);
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
