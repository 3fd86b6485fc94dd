/** The local swarm's actions and its dialog; in the window all the time, whatever view is shown. */
import { useMemo, useState } from 'react';
import { useActions, useWorkbench } from '../../workbench.tsx';
import { RunDialog } from './run-dialog.tsx';
import { createSwarmActions } from './swarm-actions.ts';

export function SwarmFeature() {
  const workbench = useWorkbench();
  const [isRunOpen, setIsRunOpen] = useState(false);
  useActions(useMemo(() => createSwarmActions(workbench, () => setIsRunOpen(true)), [workbench]));
  return <RunDialog isOpen={isRunOpen} onClose={() => setIsRunOpen(false)} />;
}
