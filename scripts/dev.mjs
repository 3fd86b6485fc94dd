// `npm run dev`: set-up, then electron-vite's development server and the app with hot reload.
// Arguments after `--` go to the app. electron-vite ignores ELECTRON_OVERRIDE_DIST_PATH, so it is told the executable.
import { packageCommand } from './child-process.mjs';
import { ownProjectRoot } from './files.mjs';
import { electronEnv, needsVirtualDisplay, rootSandbox, runInForeground } from './foreground.mjs';
import { runMain, say } from './report.mjs';
import { setUp } from './set-up.mjs';

async function startDevelopment(args) {
  const { electron } = await setUp({ need: 'dev' });
  const { command, args: tool } = await packageCommand(ownProjectRoot, 'electron-vite');
  const isVirtual = needsVirtualDisplay();
  if (isVirtual) say('dev', 'no display here: the window opens on a virtual one (xvfb-run)');
  const sandbox = rootSandbox();
  if (sandbox) say('dev', "running as root: Chromium's own process sandbox is off for this development start");
  return await runInForeground({
    command,
    args: [...tool, 'dev', '--watch', ...(sandbox ? ['--noSandbox'] : []), ...(args.length > 0 ? ['--', ...args] : [])],
    cwd: ownProjectRoot,
    env: electronEnv(process.env, { ...sandbox?.env, ELECTRON_EXEC_PATH: electron.executable }),
    isVirtual,
  });
}

await runMain(() => startDevelopment(process.argv.slice(2)));
