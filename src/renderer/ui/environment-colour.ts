/** The colour that an environment has everywhere: its dot, the line under the title bar, guard dialogs. */
import type { AppStatus } from '../../shared/contract/app-status-contract.ts';

const colours: Readonly<Record<AppStatus['environment']['kind'], string>> = { embedded: 'var(--env-embedded)' };

export function environmentColour(kind: AppStatus['environment']['kind']): string {
  return colours[kind];
}
