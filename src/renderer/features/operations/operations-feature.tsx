/** What is in the window all the time: a notification that was pressed leads to what it was about. */
import { useEffect } from 'react';
import { showApprovals, showIncident, showRoom } from '../../state/view-store.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';

export function OperationsFeature() {
  const { client, view } = useWorkbench();
  const asked = useSnapshot('operations.state')?.asked ?? null;
  useEffect(() => {
    if (asked === null) return;
    if (asked.kind === 'approvals') showApprovals(view);
    else if (asked.kind === 'incident') showIncident(view, asked.id);
    else if (asked.kind === 'rooms' && asked.room !== null) showRoom(view, asked.room);
    else view.setState({ view: asked.kind });
    // Should it fail, the same place is shown once more; nothing is lost.
    client.operations.taken({ at: asked.at }).catch(() => {});
  }, [client, view, asked]);
  return null;
}
