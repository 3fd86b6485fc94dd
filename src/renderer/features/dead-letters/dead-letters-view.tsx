/** Dead letters: what failed for good, put together by cause, and what is done about it (product.md "Dead letters"). */
import { FileSearch } from 'lucide-react';
import type { LettersState } from '../../../shared/contract/dlq-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { BundleView } from './bundle-view.tsx';
import { LettersSkeleton, UnreadLetters } from './dead-letters-empty.tsx';
import { LetterDialogs } from './letter-dialogs.tsx';
import { summaryWords } from './letter-words.ts';
import { LettersContent } from './letters-content.tsx';
import { useOpenBundle } from './use-bundle-work.ts';
import './dead-letters-view.css';

/** Whatever is known of them, or that nothing is. */
function LettersBody({ state }: { readonly state: LettersState | undefined }) {
  if (state === undefined || (state.readAtMs === null && state.problem === null)) return <LettersSkeleton />;
  if (state.readAtMs === null) return state.problem && <UnreadLetters problem={state.problem} />;
  return <LettersContent state={state} />;
}

export function DeadLettersView() {
  const state = useSnapshot('dlq.state');
  const bundle = useOpenBundle();
  const isRead = state !== undefined && state.readAtMs !== null;
  return (
    <ViewFrame
      title="Dead letters"
      summary={isRead ? summaryWords(state) : undefined}
      actions={bundle === null && <ActionButton action="letters.openBundle" icon={FileSearch} label="Open a bundle…" />}
    >
      {bundle === null ? <LettersBody state={state} /> : <BundleView key={bundle.bundleId} bundle={bundle} />}
      <LetterDialogs />
    </ViewFrame>
  );
}
