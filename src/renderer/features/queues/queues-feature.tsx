/** What belongs to queues whatever view is shown: the form of a task, the question before a purge, and the way to enqueue. */
import { useMemo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { GuardDialog } from '../../ui/guard-dialog.tsx';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { EnqueueDialog } from './enqueue-dialog.tsx';
import { createEnqueueAction } from './queue-actions.ts';
import { useQueueWork, useQueueWorkState } from './use-queue-work.ts';

function PurgeGuard() {
  const work = useQueueWork();
  const environment = useEnvironment();
  const question = useQueueWorkState((state) => state.purging);
  if (question === undefined || environment === undefined) return null;
  const { queue, count } = question;
  return (
    <GuardDialog
      guarded={{
        verb: 'Purge',
        count,
        noun: count === 1 ? 'task' : 'tasks',
        preposition: 'from',
        object: visibleText(queue),
        environment: environment.name,
        environmentColour: environment.colour,
        consequence: 'They are never run and cannot be brought back. Tasks that come after this question stay.',
        reasonHint: 'It stands in the signed record of the purge.',
      }}
      onCancel={work.close}
      onConfirm={(given) => void work.purge(given, environment.name)}
    />
  );
}

export function QueuesFeature() {
  const { mirror, view } = useWorkbench();
  const work = useQueueWork();
  const isQueuesView = useViewState((state) => state.view === 'queues');
  useActions(
    useMemo(() => [createEnqueueAction({ mirror, view, work }, isQueuesView)], [mirror, view, work, isQueuesView]),
  );
  return (
    <>
      <EnqueueDialog />
      <PurgeGuard />
    </>
  );
}
