import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs', 'tests/**/*.test.ts'],
    environment: 'node',
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
