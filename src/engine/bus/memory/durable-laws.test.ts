import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import { defineDurableLaws, defineDurableRestartLaws } from '../durable-laws.ts';
import type { RestartableDurable } from '../laws/durable-law.ts';
import { createEmbeddedFabric } from './embedded-fabric.ts';

const root = mkdtempSync(join(tmpdir(), 'vak-laws-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** For what follows a moment of the fake clock: turns in memory, on disk also the writes' real time. */
async function settle(folder: string | undefined): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  if (folder !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function open(folder: string | undefined): Promise<RestartableDurable> {
  const clock = createFakeClock();
  const randomness = createSystemRandomness();
  const start = () =>
    createEmbeddedFabric({ folder, durability: 'written', clock, randomness, logger: createSilentLogger() });
  let fabric = await start();
  return {
    durable: fabric.durable,
    async advance(ms) {
      clock.advance(ms);
      await settle(folder);
    },
    async reopen() {
      await fabric.close();
      fabric = await start();
      return fabric.durable;
    },
    close: () => fabric.close(),
  };
}

const openOnDisk = (): Promise<RestartableDurable> => open(mkdtempSync(join(root, 'journal-')));

describe('embedded engine in memory', () => defineDurableLaws(it.concurrent, () => open(undefined)));
describe('embedded engine on a journal', () => {
  defineDurableLaws(it.concurrent, openOnDisk);
  defineDurableRestartLaws(it.concurrent, openOnDisk);
});
