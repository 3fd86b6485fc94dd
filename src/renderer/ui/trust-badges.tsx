/** Lock, pen and link of a message: one glyph each, its meaning in its shape, its tone, its title and its name. */
import {
  ArrowDownUp,
  CircleDashed,
  CircleSlash,
  CornerDownRight,
  GitFork,
  Globe,
  Link,
  Link2Off,
  Lock,
  LockOpen,
  type LucideIcon,
  Minus,
  Pen,
  PenLine,
  PenOff,
  Unlink,
  Unlink2,
  X,
} from 'lucide-react';
import { memo } from 'react';
import {
  type ChainMark,
  type SealMark,
  type SignatureMark,
  type TrustMarks,
  unpackMarks,
} from '../../shared/protocol/trust-marks.ts';
import { chainWords, sealWords, signatureWords, type TrustWord } from './trust-words.ts';
import './trust-badges.css';

const sealIcons: Readonly<Record<SealMark, LucideIcon>> = {
  none: Minus,
  plain: LockOpen,
  exempt: CircleSlash,
  sealed: Lock,
  opens: Lock,
  fails: Lock,
};
const signatureIcons: Readonly<Record<SignatureMark, LucideIcon>> = {
  none: Minus,
  unsigned: PenOff,
  unchecked: PenLine,
  valid: Pen,
  invalid: X,
};
const chainIcons: Readonly<Record<ChainMark, LucideIcon>> = {
  none: Minus,
  first: CornerDownRight,
  ok: Link,
  gap: Unlink2,
  void: Link2Off,
  fork: GitFork,
  reordered: ArrowDownUp,
  'forged-payload': Unlink,
  'forged-link': Unlink,
  'foreign-source': Globe,
  unplaced: CircleDashed,
};

const badgePx = 13;

interface BadgeProps {
  readonly kind: 'seal' | 'signature' | 'chain';
  readonly mark: string;
  readonly icon: LucideIcon;
  readonly word: TrustWord;
}

function Badge({ kind, mark, icon: Icon, word }: BadgeProps) {
  return (
    <span
      className={`trust-badge trust-${word.tone}`}
      role="img"
      aria-label={word.text}
      title={word.text}
      data-badge={kind}
      data-mark={mark}
    >
      <Icon size={badgePx} strokeWidth={1.75} aria-hidden="true" />
    </span>
  );
}

export function SealBadge({ mark }: { readonly mark: SealMark }) {
  return <Badge kind="seal" mark={mark} icon={sealIcons[mark]} word={sealWords[mark]} />;
}

export function SignatureBadge({ mark }: { readonly mark: SignatureMark }) {
  return <Badge kind="signature" mark={mark} icon={signatureIcons[mark]} word={signatureWords[mark]} />;
}

export function ChainBadge({ mark }: { readonly mark: ChainMark }) {
  return <Badge kind="chain" mark={mark} icon={chainIcons[mark]} word={chainWords[mark]} />;
}

/** All three, for the packed marks of a row. */
export const TrustBadges = memo(function TrustBadges({ marks }: { readonly marks: number }) {
  const { seal, signature, chain }: TrustMarks = unpackMarks(marks);
  return (
    <>
      <SealBadge mark={seal} />
      <SignatureBadge mark={signature} />
      <ChainBadge mark={chain} />
    </>
  );
});
