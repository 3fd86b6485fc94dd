/** State of a letter, a group, a retry or a campaign: a sign and a word, in its tone. */
import {
  Archive,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleX,
  Eye,
  type LucideIcon,
  RotateCw,
} from 'lucide-react';
import type { StateWord } from './letter-words.ts';

const icons: Readonly<Record<string, LucideIcon>> = {
  open: CircleAlert,
  retrying: RotateCw,
  resolved: CircleCheck,
  done: CircleCheck,
  'failed again': CircleX,
  'failed the same': CircleX,
  'failed anew': CircleX,
  'stopped by itself': CircleX,
  failed: CircleX,
  'over, none done': CircleX,
  'over, some failed': CircleAlert,
  lost: CircleX,
  refused: CircleX,
  'as it was signed': CircleCheck,
  'signed as granted': CircleCheck,
  'not as it was signed': CircleX,
  'not valid': CircleX,
  'cut off': CircleX,
  archived: Archive,
  acknowledged: Eye,
  running: CircleDot,
};

export function StateMark({ word: { word, tone } }: { readonly word: StateWord }) {
  const Icon = icons[word] ?? CircleDashed;
  return (
    <span className={`letter-mark ${tone === 'quiet' ? 'dim' : `tone-${tone}`}`} data-word={word}>
      <Icon size={13} aria-hidden="true" />
      {word}
    </span>
  );
}
