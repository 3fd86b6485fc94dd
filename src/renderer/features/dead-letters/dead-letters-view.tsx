/** Dead letters: what failed for good, put together by cause, and what is done about it (product.md "Dead letters"). */
import { FileSearch } from 'lucide-react';
import { ActionButton } from '../../actions/action-button.tsx';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { StaleMark } from '../../ui/view-states.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { BundleView } from './bundle-view.tsx';
import { LetterDialogs } from './letter-dialogs.tsx';
import { summaryWords } from './letter-words.ts';
import { LettersContent } from './letters-content.tsx';
import { useOpenBundle } from './use-bundle-work.ts';
import './dead-letters-view.css';

export function DeadLettersView() {
  const state = useSnapshot('dlq.state');
  const bundle = useOpenBundle();
  const isRead = state !== undefined && state.readAtMs !== null;
  return (
    <ViewFrame
      title="Dead letters"
      summary={isRead ? summaryWords(state) : undefined}
      actions={
        bundle === null && (
          <>
            {state && <StaleMark {...state} data-testid="letters-stale" />}
            <ActionButton action="letters.openBundle" icon={FileSearch} label="Open a bundle…" />
          </>
        )
      }
    >
      {bundle === null ? <LettersContent state={state} /> : <BundleView key={bundle.bundleId} bundle={bundle} />}
      <LetterDialogs />
    </ViewFrame>
  );
}
