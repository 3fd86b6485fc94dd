/**
 * The environment that a command gets.
 * Law: nothing of the app's own reaches a command: no VAK_, no ELECTRON_, no Node channel or options, no AppImage's folder (I3).
 */

/** Name of the public variable that marks every process of a session, so that leftovers can be found. */
const sessionMarkerName = 'VAK_SESSION';

/** The environment entry that marks the processes of a session. */
export function sessionMarker(session: string): string {
  return `${sessionMarkerName}=${session}`;
}

const ownPrefixes = ['VAK_', 'ELECTRON_', 'NODE_CHANNEL', 'CHROME_'];
// NO_COLOR would contradict FORCE_COLOR, and Node programs warn about it.
const ownNames = new Set([
  'NODE_OPTIONS',
  'NODE_UNIQUE_ID',
  'NODE_V8_COVERAGE',
  'NO_COLOR',
  'ORIGINAL_XDG_CURRENT_DESKTOP',
]);

/** What of this process's environment may be passed on to any child. */
export function inheritedEnvironment(base: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || ownNames.has(name)) continue;
    if (ownPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix))) continue;
    kept[name] = value;
  }
  return kept;
}

const appImageNames = new Set(['APPDIR', 'APPIMAGE', 'ARGV0', 'OWD']);
/** Lists of folders, parted by colons, at whose front an AppImage puts its own. */
const appImageLists = new Set(['PATH', 'LD_LIBRARY_PATH', 'XDG_DATA_DIRS', 'GSETTINGS_SCHEMA_DIR']);

/** As it was before an AppImage prepared it for itself: a command is not to load the libraries that lie in the AppImage. */
function withoutAppImage(environment: Readonly<Record<string, string>>): Record<string, string> {
  const folder = environment['APPDIR'];
  if (folder === undefined || !folder.startsWith('/')) return { ...environment };
  const isOwn = (entry: string): boolean => entry === folder || entry.startsWith(`${folder}/`);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (appImageNames.has(name)) continue;
    if (!appImageLists.has(name) || !value.split(':').some(isOwn)) {
      kept[name] = value;
      continue;
    }
    const others = value.split(':').filter((entry) => entry !== '' && !isOwn(entry));
    if (others.length > 0) kept[name] = others.join(':');
  }
  return kept;
}

/** The environment of one command: inherited, coloured output asked for, then the task's own, then the marker. */
export function commandEnvironment(
  base: NodeJS.ProcessEnv,
  own: Readonly<Record<string, string>> | undefined,
  session: string,
): Record<string, string> {
  return {
    ...withoutAppImage(inheritedEnvironment(base)),
    TERM: 'xterm-256color',
    FORCE_COLOR: '1',
    CLICOLOR_FORCE: '1',
    ...own,
    [sessionMarkerName]: session,
  };
}
