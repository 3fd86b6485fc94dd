/** Subjects as the table prints them: without what every row shares. */
const prefix = 'vak.';

/** `events.r-7f3.terminal` of `vak.events.<workspace>.r-7f3.terminal`; foreign subjects and other workspaces stay whole. */
export function shortSubject(subject: string, workspace: string | undefined): string {
  if (workspace === undefined || !subject.startsWith(prefix)) return subject;
  const planeEnd = subject.indexOf('.', prefix.length);
  if (planeEnd < 0 || !subject.startsWith(`${workspace}.`, planeEnd + 1)) return subject;
  return subject.slice(prefix.length, planeEnd + 1) + subject.slice(planeEnd + workspace.length + 2);
}
