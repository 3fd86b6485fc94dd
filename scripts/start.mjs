// `npm start`: set-up, build if the sources changed, then the app. Arguments go to the app: npm start -- --flag.
import { ensureBuilt } from './build.mjs';
import { isStartedScript, ownProjectRoot } from './files.mjs';
import { electronEnv, needsVirtualDisplay, rootSandbox, runInForeground } from './foreground.mjs';
import { runMain, say } from './report.mjs';
import { setUp } from './set-up.mjs';

/** Sets up, builds and runs the app; gives its exit code. */
export async function startApp({ args, projectRoot = ownProjectRoot, env = process.env, build }) {
  const { electron } = await setUp({ need: 'start', projectRoot, env });
  await ensureBuilt({ projectRoot, build });
  return await runInForeground(appCommand({ executable: electron.executable, projectRoot, args, env }));
}

/** The command line of the app for this user and display; says what is unusual about it. */
export function appCommand({ executable, projectRoot, args, env, platform, uid, report = say }) {
  const isVirtual = needsVirtualDisplay({ platform, env });
  if (isVirtual) report('start', 'no display here: the window opens on a virtual one (xvfb-run)');
  const sandbox = rootSandbox({ platform, uid });
  if (sandbox) report('start', "running as root: Chromium's own process sandbox is off for this development start");
  return {
    command: executable,
    args: [...(sandbox?.args ?? []), projectRoot, ...args],
    cwd: projectRoot,
    env: electronEnv(env, sandbox?.env),
    isVirtual,
  };
}

if (isStartedScript(import.meta.url)) {
  await runMain(() => startApp({ args: process.argv.slice(2) }));
}
