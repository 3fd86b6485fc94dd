/** What came from outside the app, a link or a file: what it is and where it leads, before anything follows from it. */
import type { ReactNode } from 'react';
import type { WaitingLink } from '../../shared/contract/links-contract.ts';
import { useWorkbench } from '../workbench.tsx';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { formatCount } from './format.ts';

export interface HandedOverDialogProps {
  readonly waiting: WaitingLink;
  readonly title: string;
  readonly description: string;
  /** Undefined: it can only be put away. */
  readonly onOpen: (() => void) | undefined;
  /** Why not, as of now. */
  readonly disabledReason?: string | undefined;
  readonly children: ReactNode;
}

/** Takes away what waits; what is done with it is the caller's. */
export function useAnswer({ id }: WaitingLink): () => void {
  const { client, reportError } = useWorkbench();
  return () => {
    client.links.answer({ id }).catch((error: unknown) => reportError('Answer what waits', error));
  };
}

export function HandedOverDialog(props: HandedOverDialogProps) {
  const { waiting, title, description, onOpen, disabledReason, children } = props;
  const { droppedCount } = waiting;
  const answer = useAnswer(waiting);
  return (
    <Dialog isOpen onClose={answer} title={title} description={description}>
      <div className="dialog-body" data-testid="link-sheet">
        {children}
        {droppedCount > 0 && (
          <p className="dim">
            {formatCount(droppedCount)} {droppedCount === 1 ? 'link or file' : 'links or files'} came before it,
            unanswered, and {droppedCount === 1 ? 'is' : 'are'} dropped.
          </p>
        )}
        <DialogActions>
          <Button onClick={answer}>{onOpen === undefined ? 'Close' : 'Cancel'}</Button>
          {onOpen !== undefined && (
            <Button variant="primary" disabledReason={disabledReason} onClick={onOpen}>
              Open
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  );
}
