/** Who had the key store open before it was locked, and since when it is; nothing is known of it after a start. */
import { useEffect, useState } from 'react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { useWorkbench } from '../../workbench.tsx';

export interface LastOpening extends Pick<SelfSummary, 'peer' | 'name' | 'workspace'> {
  readonly lockedAtMs: number;
}

/** Call it where it stays mounted while the store opens and locks. */
export function useLastOpening(): LastOpening | undefined {
  const { mirror } = useWorkbench();
  const [last, setLast] = useState<LastOpening | undefined>();
  useEffect(() => {
    let self = mirror.getState()['identity.self'];
    return mirror.subscribe((state, before) => {
      self = state['identity.self'] ?? self;
      const wasOpen = before['identity.keyStore']?.kind === 'unlocked';
      if (!wasOpen || state['identity.keyStore']?.kind === 'unlocked' || self === undefined || self === null) return;
      const { peer, name, workspace } = self;
      setLast({ peer, name, workspace, lockedAtMs: Date.now() });
    });
  }, [mirror]);
  return last;
}
