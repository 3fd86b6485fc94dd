/** Changes what is muted; a refusal is said. */
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { Client } from '../../../shared/contract/define-contract.ts';
import { useWorkbench } from '../../workbench.tsx';

export type Mute = Parameters<Client<AppContract>['operations']['mute']>[0];

export function useMute(): (mute: Mute) => void {
  const { client, reportError } = useWorkbench();
  return (mute) => {
    client.operations.mute(mute).catch((error: unknown) => reportError('Change what is muted', error));
  };
}
