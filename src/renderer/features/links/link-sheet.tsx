/** A link that came from outside the app: where it leads, before anything is shown; and the way to make one. */
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { WaitingLink } from '../../../shared/contract/links-contract.ts';
import { formatDeepLink, parseDeepLink } from '../../../shared/protocol/deep-link.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { useActions, useSnapshot, useWorkbench, type Workbench } from '../../workbench.tsx';
import { isSeenHere, placeWords, shownPlace, showPlace } from './link-places.ts';

export interface LinkSheetProps {
  readonly titleOf: Parameters<typeof placeWords>[1];
}

function createLinkActions({ view, mirror, notify, refuse }: Workbench, workspace: string) {
  return [
    {
      id: 'links.copy',
      title: 'Copy a link to what is shown',
      group: 'Workbench',
      run(): void {
        const place = shownPlace(view.getState(), mirror.getState()['sessions.list']?.sessions ?? []);
        let link = '';
        try {
          link = formatDeepLink(parseDeepLink(formatDeepLink({ workspace, place })));
        } catch {
          refuse('No link can hold this filter: it is too long, or has characters that nobody sees');
          return;
        }
        if (copyText(link)) notify(`Copied ${link}`);
        else refuse('The clipboard did not take the link');
      },
    },
  ];
}

function LinkQuestion({ waiting, titleOf }: LinkSheetProps & { readonly waiting: WaitingLink }) {
  const { view, client, mirror, reportError } = useWorkbench();
  const ours = useSnapshot('app.status')?.workspace;
  const { id, link, why, droppedCount } = waiting;
  const words = link === null ? undefined : placeWords(link.place, titleOf);
  const elsewhere =
    link === null || ours === undefined || link.workspace === ours
      ? undefined
      : `it is of workspace ${link.workspace}, and this app shows ${ours}`;
  const refusal = why ?? elsewhere ?? words?.why;
  const isSeen = useStore(mirror, (state) => link === null || isSeenHere(link.place, state));
  const answer = (): void => {
    client.links.answer({ id }).catch((error: unknown) => reportError('Answer the link', error));
  };
  const onOpen = (): void => {
    if (link !== null) showPlace(view, link.place);
    answer();
  };
  return (
    <Dialog
      isOpen
      onClose={answer}
      title="Open a link?"
      description="It came from outside this app. It shows a place, and changes nothing."
    >
      <div className="dialog-body" data-testid="link-sheet">
        {link !== null && words !== undefined && (
          <DetailFacts>
            <DetailFact name="Workspace">{link.workspace}</DetailFact>
            <DetailFact name={words.what}>{visibleText(words.name)}</DetailFact>
          </DetailFacts>
        )}
        {refusal !== undefined && <p role="alert">It cannot be opened: {refusal}.</p>}
        {refusal === undefined && !isSeen && (
          <p>Nothing of this name is here now: it may have ended, or the connection leads elsewhere.</p>
        )}
        {droppedCount > 0 && (
          <p className="dim">
            {formatCount(droppedCount)} {droppedCount === 1 ? 'link' : 'links'} came before it, unanswered, and{' '}
            {droppedCount === 1 ? 'is' : 'are'} dropped.
          </p>
        )}
        <DialogActions>
          <Button onClick={answer}>{refusal === undefined ? 'Cancel' : 'Close'}</Button>
          {refusal === undefined && (
            <Button variant="primary" onClick={onOpen}>
              Open
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  );
}

export function LinksFeature({ titleOf }: LinkSheetProps) {
  const workbench = useWorkbench();
  const workspace = useSnapshot('app.status')?.workspace ?? '';
  const waiting = useSnapshot('links.waiting') ?? null;
  useActions(useMemo(() => createLinkActions(workbench, workspace), [workbench, workspace]));
  return waiting === null ? null : <LinkQuestion key={waiting.id} waiting={waiting} titleOf={titleOf} />;
}
