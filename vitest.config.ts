import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { cheapPassphrases } from './tests/support/cheap-passphrase-cost.ts';

const every = ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs', 'tests/**/*.test.ts'];
/** Tests that start programs or servers, or that change, measure or list their own process: each file has a process to itself. */
const alone = [
  'scripts/**/*.test.mjs',
  'tests/**/*.test.ts',
  'src/peers/**/*.test.ts',
  'src/engine/{connections,swarm,work}/**/*.test.ts',
  'src/engine/bus/nats/**/*.test.ts',
  'src/engine/access/{permitted-plane,server-access}.test.ts',
  'src/engine/triage/letters-service.test.ts',
  'src/engine/**/*-{kill,processes}.test.ts',
];
/** About what the product's own passphrases cost, or with profiles that the built product opens. */
const costly = ['src/engine/identity/passphrase-slot.test.ts', 'tests/library-package.test.ts'];
const common = { environment: 'node', retry: 0, testTimeout: 20_000 } as const;
const resolve = { alias: [cheapPassphrases(fileURLToPath(new URL('.', import.meta.url)).replace(/.$/, ''))] };

export default defineConfig({
  test: {
    projects: [
      { resolve, test: { ...common, name: 'alone', include: alone, exclude: costly } },
      { test: { ...common, name: 'costly', include: costly } },
      // No module is mocked and none has a state, so files may share what they import; to load it anew for each took longer than most
      // of them run. Projects begin in the order of their names: what takes long is under way before these fill the rest.
      {
        resolve,
        test: { ...common, name: 'together', include: every, exclude: [...alone, ...costly], isolate: false },
      },
    ],
    globalSetup: ['tests/support/test-run-folder.ts'],
    // Left to itself vitest takes one core fewer than there are. On two cores even two workers leave a fourth of the time unused, as
    // they wait for the programs and servers that tests start.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    passWithNoTests: false,
    coverage: {
      provider: 'v8',
      include: ['src/shared/**', 'src/engine/**'],
      exclude: ['**/*.test.ts', '**/*.d.ts'],
    },
  },
});
