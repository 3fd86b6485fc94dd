// `npm run package:test`: builds the packages for Linux, and tests them as they are (e2e/package): content, fuses, and the app in
// them with a fresh home. More arguments go to Playwright. `npm run endurance` does it too.
import { packageCommand } from './child-process.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { needsVirtualDisplay, runInForeground } from './foreground.mjs';
import { packageApp } from './package.mjs';
import { runMain } from './report.mjs';
import { setUp } from './set-up.mjs';

/** Gives the exit code of the tests. Throws SetUpError when a package cannot be built. */
export async function testPackages(args = []) {
  await setUp({ need: 'test' });
  await packageApp(['--offline-test', 'AppImage', 'deb']);
  const { command, args: tool } = await packageCommand(ownProjectRoot, '@playwright/test', 'playwright');
  return await runInForeground({
    command,
    args: [...tool, 'test', '--config=playwright.package.config.ts', ...args],
    cwd: ownProjectRoot,
    isVirtual: needsVirtualDisplay(),
  });
}

if (isStartedScript(import.meta.url)) await runMain(() => testPackages(process.argv.slice(2)));
