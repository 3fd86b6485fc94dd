// The step `runtime` of `npm test`: the tests of crypto, envelope and protocol once more, inside the app's own runtime, whose
// cryptography (BoringSSL) is another one than Node's. What ran where is printed, and each test process proves it.
import { run, tailOf } from './child-process.mjs';
import { runInForeground } from './foreground.mjs';
import { SetUpError } from './report.mjs';

const shown = ['electron', 'chrome', 'node', 'v8', 'openssl'];

/** Folders whose tests run in the app's runtime. */
export const runtimeFolders = ['src/engine/crypto/', 'src/engine/envelope/', 'src/shared/protocol/'];

/** Electron as a plain Node; `VAK_TEST_RUNTIME` tells the tests which one they must find themselves in. */
export function runtimeEnv(env, versions) {
  return { ...env, ELECTRON_RUN_AS_NODE: '1', VAK_TEST_RUNTIME: `electron ${versions.electron}` };
}

/** The versions of a runtime in one line. BoringSSL has none and calls itself OpenSSL 0.0.0. */
export function describeRuntime(versions) {
  const parts = shown.map((name) => `${name} ${versions[name] ?? 'unknown'}`);
  return parts.join(' · ') + (versions.openssl === '0.0.0' ? ' (BoringSSL)' : '');
}

/** `process.versions` of an Electron. Throws SetUpError if it does not run, or is none. */
export async function readRuntimeVersions(executable, env = process.env) {
  const { code, stdout, lines } = await run(executable, ['-p', 'JSON.stringify(process.versions)'], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const versions = code === 0 ? JSON.parse(stdout) : {};
  if (versions.electron) return versions;
  throw new SetUpError(
    `${executable} does not run as a Node of Electron (code ${code}).\n${tailOf(lines)}\n` +
      'Next: name the folder of a sound Electron in ELECTRON_OVERRIDE_DIST_PATH, or remove the one that set-up fetched.',
  );
}

/** Runs vitest (`tool`: its script and arguments) inside the runtime; gives the exit code. */
export async function runInRuntime({ executable, tool, cwd, env = process.env }) {
  const versions = await readRuntimeVersions(executable, env);
  process.stdout.write(`runtime: ${describeRuntime(versions)}\n`);
  return await runInForeground({
    command: executable,
    args: tool,
    cwd,
    env: runtimeEnv(env, versions),
    waitsForRest: true,
  });
}
