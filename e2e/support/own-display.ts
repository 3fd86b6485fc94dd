/**
 * A virtual display of one's own, for tests that run beside others: two apps on one display take the focus and the clipboard from each
 * other. Law: it ends with whoever asked for it, however that ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface OwnDisplay {
  /** For `DISPLAY`. */
  readonly name: string;
  end(): Promise<void>;
}

/** The display tells its number on descriptor 3; the shell ends it when its own input closes. */
const script = `Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp & read -r line; kill $!; wait`;

/** Starts one, and resolves when it can be used. */
export async function startOwnDisplay(): Promise<OwnDisplay> {
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const [number] = (await Promise.race([once(lines, 'line'), ended.then(() => [])])) as [string?];
  if (number === undefined) throw new Error('Xvfb ended before it had a display');
  return {
    name: `:${number}`,
    async end() {
      child.stdin?.end();
      await ended;
    },
  };
}
