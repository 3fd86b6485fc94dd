/** Changes what is muted; a refusal is said. */
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { Client } from '../../../shared/contract/define-contract.ts';
import { useWorkbench } from '../../workbench.tsx';

type Operations = Client<AppContract>['operations'];

/** Does one of the calls that mute. */
export type Mute = (change: (operations: Operations) => Promise<void>) => void;

export function useMute(): Mute {
  const { client, reportError } = useWorkbench();
  return (change) => {
    change(client.operations).catch((error: unknown) => reportError('Change what is muted', error));
  };
}
