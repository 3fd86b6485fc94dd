/** Programs of `vak` that run until they are ended. */
import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Ran, RunOptions, VakProgram } from './vak-program.ts';

/** A running `vak`, and the lines of its log so far. */
export interface VakService {
  readonly lines: readonly Record<string, unknown>[];
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  events(name: string): Record<string, unknown>[];
}

export type ServeVak = (args: readonly string[], options?: Pick<RunOptions, 'environment'>) => Promise<VakService>;

/** Gives a way to start `vak` as a service, which resolves when it has started; each test's are killed after it. */
export function prepareServices({ vak }: Pick<VakProgram, 'vak'>): ServeVak {
  let services: VakService[] = [];
  beforeEach(() => {
    services = [];
  });
  afterEach(async () => {
    for (const { child } of services) child.kill('SIGKILL');
    await Promise.all(services.map(({ ended }) => ended));
  });

  return async (args, options = {}) => {
    let child: ChildProcess | undefined;
    const lines: Record<string, unknown>[] = [];
    const ended = vak(args, {
      ...options,
      onStart(started) {
        child = started;
        let rest = '';
        started.stderr?.on('data', (text: string) => {
          const parts = (rest + text).split('\n');
          rest = parts.pop() ?? '';
          for (const line of parts) if (line.startsWith('{')) lines.push(JSON.parse(line) as Record<string, unknown>);
        });
      },
    });
    const events = (name: string) => lines.filter(({ event }) => event === name);
    const service: VakService = { lines, ended, events, child: child as ChildProcess };
    services.push(service);
    const isUp = () => events('started').length > 0 || service.child.exitCode !== null;
    await expect.poll(isUp, { timeout: 30_000, interval: 50 }).toBe(true);
    if (events('started').length === 0) throw new Error(`vak ${args.join(' ')} ended: ${(await ended).stderr}`);
    return service;
  };
}
