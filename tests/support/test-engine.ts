import { expect } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { Profile } from '../../src/engine/identity/profile.ts';
import type { AppContract } from '../../src/shared/contract/app-contract.ts';
import type { SnapshotName, SnapshotValue } from '../../src/shared/contract/define-contract.ts';
import { createScriptedPrompt } from './scripted-prompt.ts';
import { createSilentNotifier } from './silent-notifier.ts';
import { type TestProfiles, testWorkspace } from './test-profile.ts';

type EnginePorts = Parameters<typeof createEngine>[0];

const runtime = {
  version: '1',
  platform: 'test',
  electron: '1',
  chromium: '1',
  node: '1',
  shippedElectron: '1',
  isSandboxed: true,
};
const hardening = () => null;

/** The whole engine of the app over `profile`, not opened yet, with the clock and randomness of `profiles`; it has no workers. */
export async function createTestEngine(
  profiles: TestProfiles,
  profile: Profile,
  ports: Partial<EnginePorts> = {},
): Promise<Engine> {
  const { clock, randomness, logger, vault } = profiles;
  return await createEngine(
    {
      ...{ clock, randomness, logger, profile, vault, prompt: createScriptedPrompt(), environment: {} },
      notifier: createSilentNotifier(),
      ...{ selfTest: { ok: true }, findOnPath: () => undefined, natsCli: { folder: '/none', home: '/none' } },
      launchWorker() {
        throw new Error('no worker in this test');
      },
      ...ports,
    },
    { workspace: testWorkspace, bufferCount: 1_000, bufferBytes: 1 << 20, runtime, hardening },
  );
}

/** Whoever lets the time of `profiles` pass for an engine: `stepMs` at a time. */
export interface EngineDriver {
  /** Lets time pass until something is so. */
  until(isSo: () => unknown): Promise<void>;
  /** Lets time pass until `work` has ended; gives what came of it. */
  during<T>(work: Promise<T> | T): Promise<T>;
  /** What the engine tells the window under `name` just now. */
  snapshot<N extends SnapshotName<AppContract>>(name: N): SnapshotValue<AppContract, N> | undefined;
}

export function driveEngine(profiles: () => TestProfiles, engine: () => Engine, stepMs: number): EngineDriver {
  const until = async (isSo: () => unknown): Promise<void> => {
    const step = async (): Promise<boolean> => {
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
      profiles().clock.advance(stepMs);
      return Boolean(isSo());
    };
    await expect.poll(step, { timeout: 10_000, interval: 1 }).toBe(true);
  };
  return {
    until,
    async during(work) {
      let isOver = false;
      const end = (): void => {
        isOver = true;
      };
      Promise.resolve(work).then(end, end);
      await until(() => isOver);
      return await work;
    },
    snapshot(name) {
      const text = engine()
        .snapshots.current()
        .find((one) => one.name === name)?.text;
      return text === undefined ? undefined : JSON.parse(text);
    },
  };
}
