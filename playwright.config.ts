import { defineConfig } from '@playwright/test';

/**
 * End-to-end tests on the built app in the real Electron, each with a profile of its own, never retried: one at a time, where displays
 * are virtual two, each on a display of its own (scripts/test.mjs).
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [['list']],
  outputDir: 'test-results',
});
