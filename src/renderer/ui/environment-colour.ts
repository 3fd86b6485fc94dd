/** The colour that an environment has everywhere: its dot, the line under the title bar, guard dialogs. */
import type { ConnectionContext } from '../../shared/contract/connections-contract.ts';
import { contextColours } from '../../shared/settings/setting-keys.ts';

/** The embedded bus keeps its own; a colour that has no token is grey. */
export function environmentColour({ kind, colour }: Pick<ConnectionContext, 'kind' | 'colour'>): string {
  if (kind === 'embedded') return 'var(--env-embedded)';
  const isKnown = (contextColours as readonly string[]).includes(colour);
  return `var(--env-${isKnown ? colour : 'grey'})`;
}
