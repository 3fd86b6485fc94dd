/**
 * Whether the app may run as it was started (architecture.md §9: windows live in Chromium's sandbox).
 * Law: without the sandbox nothing runs, unless a test or a development start says that it means it.
 */

/** Variable by which a start as root, which Chromium forbids to be sandboxed, says that it is one for development. */
const withoutSandboxName = 'VAK_DEV_NO_SANDBOX';

/** Heading of the refusal. */
export const sandboxProblemTitle = 'Vak Workbench cannot start without its sandbox';

const given = 'It was started with --no-sandbox. Start it without that switch.';

/** Its launcher adds the switch where it finds no user namespaces, so whoever reads this has most likely given none. */
const inAppImage = [
  'Ordinary users of this system may not make user namespaces (`unshare -Ur true` fails), and the sandbox of an AppImage is made of them.',
  'What helps: install the .deb, which brings a sandbox of its own; or have an administrator allow user namespaces. ' +
    'If you gave --no-sandbox yourself, leave it out.',
].join('\n\n');

/** Why the app does not start, and what to do; undefined when it may. `hasSwitch`: whether a switch is on its command line. */
export function sandboxProblem(
  hasSwitch: (name: string) => boolean,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!hasSwitch('no-sandbox') || environment[withoutSandboxName] === '1') return undefined;
  const reason = environment['APPDIR'] === undefined ? given : inAppImage;
  return `The sandbox keeps what a window shows away from your keys, so nothing runs without it.\n\n${reason}`;
}
