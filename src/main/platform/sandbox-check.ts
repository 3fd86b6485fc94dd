/**
 * Whether the app may run as it was started (architecture.md §9: windows live in Chromium's sandbox).
 * Law: without the sandbox nothing runs, unless a test or a development start says that it means it.
 */

/** Variable by which a start as root, which Chromium forbids to be sandboxed, says that it is one for development. */
const withoutSandboxName = 'VAK_DEV_NO_SANDBOX';

/** Why the app does not start, and what to do; undefined when it may. `hasSwitch`: whether a switch is on its command line. */
export function sandboxProblem(
  hasSwitch: (name: string) => boolean,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!hasSwitch('no-sandbox') || environment[withoutSandboxName] === '1') return undefined;
  return (
    'Vak Workbench does not run without the sandbox that keeps a window away from your keys. ' +
    'Start it without --no-sandbox. The AppImage adds that switch by itself where the system lets nobody make a ' +
    'user namespace: allow those, or install the .deb, which needs none.'
  );
}
