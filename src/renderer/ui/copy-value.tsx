/** A key or id, shortened in the middle; whole on hover, copied whole by the button beside it. */
import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { shortenId } from './format.ts';
import { IconButton } from './icon-button.tsx';
import './copy-value.css';

const shownMs = 1500;
const shownLength = 20;
const icons = { copied: Check, refused: X } as const;

export interface CopyValueProps {
  /** What it is, for the button: "signing key". */
  readonly name: string;
  readonly value: string;
  /** Characters that are shown of it. */
  readonly maxLength?: number;
}

export function CopyValue({ name, value, maxLength = shownLength }: CopyValueProps) {
  const [outcome, setOutcome] = useState<keyof typeof icons | undefined>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const words = { copied: 'Copied', refused: 'Could not copy' };
  return (
    <span className="copy-value">
      <span className="data" title={value}>
        {shortenId(value, maxLength)}
      </span>
      <IconButton
        icon={outcome === undefined ? Copy : icons[outcome]}
        label={`Copy ${name}`}
        hint={outcome === undefined ? `Copy ${name}` : words[outcome]}
        onClick={() => setOutcome(copyText(value) ? 'copied' : 'refused')}
      />
      <span className="visually-hidden" aria-live="polite">
        {outcome === undefined ? '' : words[outcome]}
      </span>
    </span>
  );
}
