/** Copies a text and says whether it worked, in place. */
import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';

const shownMs = 1500;

export interface CopyButtonProps {
  readonly text: string;
  readonly children: string;
}

export function CopyButton({ text, children }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | undefined>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const onClick = (): void => setOutcome(copyText(text) ? 'copied' : 'refused');
  const label = { copied: 'Copied', refused: 'Could not copy' };
  return (
    <Button icon={outcome === undefined ? Copy : outcome === 'copied' ? Check : X} onClick={onClick}>
      <span aria-live="polite">{outcome === undefined ? children : label[outcome]}</span>
    </Button>
  );
}
