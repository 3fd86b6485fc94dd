/** The question of the what-if tester; it is kept as a draft. */
import { useMemo } from 'react';
import { useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { questionOfDraft, type WhatIfFields } from './what-if.ts';

const draftName = 'identity.what-if';

function keep(view: Workbench['view'], question: WhatIfFields): void {
  view.setState({ drafts: { ...view.getState().drafts, [draftName]: JSON.stringify(question) } });
}

export function useQuestion(): {
  readonly fields: WhatIfFields;
  readonly set: (change: Partial<WhatIfFields>) => void;
} {
  const { view } = useWorkbench();
  const draft = useViewState((state) => state.drafts[draftName]);
  const fields = useMemo(() => questionOfDraft(draft), [draft]);
  return { fields, set: (change) => keep(view, { ...fields, ...change }) };
}

/** Shows the tester with a peer as it is granted; the rest of the question stays. */
export function useTryOut(): (peer: string) => void {
  const { view } = useWorkbench();
  return useMemo(
    () => (peer) => {
      keep(view, { ...questionOfDraft(view.getState().drafts[draftName]), who: 'peer', peer });
      view.setState({ identityTab: 'what-if' });
    },
    [view],
  );
}
