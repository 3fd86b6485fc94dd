/** A link that came from outside the app: where it leads, before anything is shown; and the way to make one. */
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { WaitingLink } from '../../../shared/contract/links-contract.ts';
import { formatDeepLink, parseDeepLink } from '../../../shared/protocol/deep-link.ts';
import { copyText } from '../../ui/copy-text.ts';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { HandedOverDialog, useAnswer } from '../../ui/handed-over-dialog.tsx';
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
  const { view, mirror } = useWorkbench();
  const ours = useSnapshot('app.status')?.workspace;
  const { link, why } = waiting;
  const words = link === null ? undefined : placeWords(link.place, titleOf);
  const elsewhere =
    link === null || ours === undefined || link.workspace === ours
      ? undefined
      : `it is of workspace ${link.workspace}, and this app shows ${ours}`;
  const refusal = why ?? elsewhere ?? words?.why;
  const isSeen = useStore(mirror, (state) => link === null || isSeenHere(link.place, state));
  const answer = useAnswer(waiting);
  const onOpen = (): void => {
    if (link !== null) showPlace(view, link.place);
    answer();
  };
  return (
    <HandedOverDialog
      waiting={waiting}
      title="Open a link?"
      description="It came from outside this app. It shows a place, and changes nothing."
      onOpen={refusal === undefined ? onOpen : undefined}
    >
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
    </HandedOverDialog>
  );
}

export function LinksFeature({ titleOf }: LinkSheetProps) {
  const workbench = useWorkbench();
  const workspace = useSnapshot('app.status')?.workspace ?? '';
  const waiting = useSnapshot('links.waiting') ?? null;
  useActions(useMemo(() => createLinkActions(workbench, workspace), [workbench, workspace]));
  return waiting === null || waiting.file !== null ? null : (
    <LinkQuestion key={waiting.id} waiting={waiting} titleOf={titleOf} />
  );
}
