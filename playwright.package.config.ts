import { defineConfig } from '@playwright/test';

/** Tests on the packages as they were built (scripts/package-test.mjs); never retried. */
export default defineConfig({
  testDir: 'e2e/package',
  testMatch: '*.package.ts',
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: [['list']],
  outputDir: 'test-results/package',
});
