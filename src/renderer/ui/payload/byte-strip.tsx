/** Above bytes that are shown: the choice of a view, the way to copy what it shows, and how much it is. */
import { useMemo } from 'react';
import { toHex } from '../../../shared/base/bytes.ts';
import { ChoiceSwitch, type ChoiceSwitchProps } from '../choice-switch.tsx';
import { CopyButton } from '../copy-button.tsx';
import { formatBytes } from '../format.ts';
import { decodeText } from '../visible-text.ts';
import './payload.css';

function CopyHex({ bytes }: { readonly bytes: Uint8Array }) {
  const hex = useMemo(() => toHex(bytes), [bytes]);
  return <CopyButton text={hex}>Copy hex</CopyButton>;
}

function CopyText({ bytes }: { readonly bytes: Uint8Array }) {
  const { text, isExact } = useMemo(() => decodeText(bytes), [bytes]);
  if (isExact) return <CopyButton text={text}>Copy text</CopyButton>;
  return <span className="tone-wait">Not valid UTF-8: some bytes are shown as �. Copy them from Hex.</span>;
}

export interface ByteStripProps<Id extends string> extends ChoiceSwitchProps<Id> {
  readonly bytes: Uint8Array;
}

export function ByteStrip<Id extends string>({ bytes, ...choice }: ByteStripProps<Id>) {
  return (
    <div className="payload-actions">
      <ChoiceSwitch {...choice} />
      {choice.chosen === 'hex' ? <CopyHex bytes={bytes} /> : <CopyText bytes={bytes} />}
      <span className="dim">{formatBytes(bytes.length)}</span>
    </div>
  );
}
