/** An incident bundle that the system handed over: it is read when its button is pressed, and not before. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { HandedOverDialog } from '../../ui/handed-over-dialog.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { useBundleWork } from './use-bundle-work.ts';

export function BundleFileSheet() {
  const { reportError } = useWorkbench();
  const work = useBundleWork();
  const waiting = useSnapshot('links.waiting') ?? null;
  if (waiting?.file?.kind !== 'bundle') return null;
  const { id, file } = waiting;
  const onOpen = (): void => {
    work.open(id).catch((error: unknown) => reportError('Open the bundle', error));
  };
  return (
    <HandedOverDialog
      key={id}
      waiting={waiting}
      title="Open an incident bundle?"
      description="It came from outside this app. Each line of it is compared with what was signed; nothing on the bus changes."
      onOpen={onOpen}
    >
      <DetailFacts>
        <DetailFact name="File">{visibleText(file.name)}</DetailFact>
      </DetailFacts>
    </HandedOverDialog>
  );
}
