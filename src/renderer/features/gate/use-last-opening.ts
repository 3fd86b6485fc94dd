/** Who had the key store open before it was locked, and since when it is; nothing is known of it after a start. */
import { useEffect, useState } from 'react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { useWorkbench } from '../../workbench.tsx';

export interface LastOpening extends Pick<SelfSummary, 'peer' | 'name' | 'workspace'> {
  readonly lockedAtMs: number;
}

/** No more of the peer than is shown: the rest of its summary goes with the opening. */
function whoIs(self: SelfSummary | null | undefined): Omit<LastOpening, 'lockedAtMs'> | undefined {
  return self ? { peer: self.peer, name: self.name, workspace: self.workspace } : undefined;
}

/** Call it where it stays mounted while the store opens and locks. */
export function useLastOpening(): LastOpening | undefined {
  const { mirror } = useWorkbench();
  const [last, setLast] = useState<LastOpening | undefined>();
  useEffect(() => {
    let self = whoIs(mirror.getState()['identity.self']);
    return mirror.subscribe((state, before) => {
      self = whoIs(state['identity.self']) ?? self;
      const wasOpen = before['identity.keyStore']?.kind === 'unlocked';
      if (!wasOpen || state['identity.keyStore']?.kind === 'unlocked' || self === undefined) return;
      setLast({ ...self, lockedAtMs: Date.now() });
    });
  }, [mirror]);
  return last;
}
