/** What the actions of grants and peers need of this window. */
import { useMemo } from 'react';
import { useWorkbench } from '../../workbench.tsx';
import type { AccessActionsDeps } from './access-actions.ts';
import { useAccessWork } from './use-access-work.ts';

export function useAccessDeps(): AccessActionsDeps {
  const { client, mirror, view, notify, refuse } = useWorkbench();
  const work = useAccessWork();
  return useMemo(
    () => ({
      ...{ client, mirror, notify, refuse, work },
      showTab: (identityTab) => view.setState({ view: 'identity', identityTab }),
    }),
    [client, mirror, view, notify, refuse, work],
  );
}
