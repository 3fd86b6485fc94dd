/** The questions before something is done with dead letters. */
import { ArchiveDialog } from './archive-dialog.tsx';
import { BundleDialog } from './bundle-dialog.tsx';
import { CauseDialog } from './cause-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { useLetterWorkState } from './use-letter-work.ts';
import './letter-dialogs.css';

export function LetterDialogs() {
  const asking = useLetterWorkState((state) => state.asking);
  switch (asking?.kind) {
    case undefined:
      return null;
    case 'retry':
      return <RetryDialog asking={asking} />;
    case 'archive':
    case 'restore':
      return <ArchiveDialog asking={asking} />;
    case 'export':
      return <BundleDialog asking={asking} />;
    case 'edit':
      return <EditDialog key={asking.letter.seq} asking={asking} />;
    case 'say':
      return <CauseDialog cause={asking.cause} />;
  }
}
