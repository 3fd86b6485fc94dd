/** Says over the end of the letters that they are those of before, because reading them anew failed; its place is kept free for it. */
import { RotateCw } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { describeError } from '../../ui/describe-error.ts';

export function UnreadStrip({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => void }) {
  const { doing, why, next, details } = describeError('Read the letters', error);
  return (
    <div className="letters-unread" role="status" data-testid="letters-unread">
      <span className="letters-unread-text" title={`${doing}: failed. ${why} ${next}`}>
        <strong className="tone-wait">As they were before.</strong> {doing}: failed. {why}
      </span>
      <CopyButton text={details}>Copy details</CopyButton>
      <Button icon={RotateCw} onClick={onAgain} data-testid="letters-again">
        Try again
      </Button>
    </div>
  );
}
