import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs', 'tests/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['tests/support/test-run-folder.ts'],
    // Left to itself vitest takes one core fewer than there are: on two cores a single worker, which would spend half of its time
    // waiting for the programs and servers that tests start.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    passWithNoTests: false,
    retry: 0,
    testTimeout: 20_000,
    coverage: {
      provider: 'v8',
      include: ['src/shared/**', 'src/engine/**'],
      exclude: ['**/*.test.ts', '**/*.d.ts'],
    },
  },
});
