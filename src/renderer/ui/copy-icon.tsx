/** A small button that copies one value whole and says whether it worked, in place. */
import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';
import './copy-value.css';

const shownMs = 1500;
const icons = { copied: Check, refused: X } as const;
const words = { copied: 'Copied', refused: 'Could not copy' } as const;

export interface CopyIconProps {
  /** What it is, for the button: "signing key". */
  readonly name: string;
  readonly value: string;
}

export function CopyIcon({ name, value }: CopyIconProps) {
  const [outcome, setOutcome] = useState<keyof typeof icons | undefined>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <IconButton
        className="copy-icon"
        icon={outcome === undefined ? Copy : icons[outcome]}
        label={`Copy ${name}`}
        hint={outcome === undefined ? `Copy ${name}` : words[outcome]}
        onClick={() => setOutcome(copyText(value) ? 'copied' : 'refused')}
      />
      <span className="visually-hidden" aria-live="polite">
        {outcome === undefined ? '' : words[outcome]}
      </span>
    </>
  );
}
