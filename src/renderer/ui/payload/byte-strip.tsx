/** Above bytes that are shown: the choice of a view, the ways to copy and save what it shows, and how much it is. */
import { Save } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { toHex } from '../../../shared/base/bytes.ts';
import { Button } from '../button.tsx';
import { ChoiceSwitch, type ChoiceSwitchProps } from '../choice-switch.tsx';
import { CopyButton } from '../copy-button.tsx';
import { copyText } from '../copy-text.ts';
import { formatBytes } from '../format.ts';
import { useAttempt } from '../use-attempt.ts';
import { decodeText } from '../visible-text.ts';
import { isAtHand, type PayloadSource, wholeOf } from './payload-source.ts';
import './payload.css';

/** Most bytes that go to the clipboard. */
const maxCopiedBytes = 8 * 1024 * 1024;

/** The text that a view of bytes copies; undefined: it would not be these bytes. */
function textFor(view: 'hex' | 'text', bytes: Uint8Array): string | undefined {
  if (view === 'hex') return toHex(bytes);
  const { text, isExact } = decodeText(bytes);
  return isExact ? text : undefined;
}

const inexact = 'Not valid UTF-8: some bytes are shown as �. Copy them from Hex.';

function CopyHere({ bytes, view }: { readonly bytes: Uint8Array; readonly view: 'hex' | 'text' }) {
  const text = useMemo(() => textFor(view, bytes), [bytes, view]);
  if (text === undefined) return <span className="tone-wait">{inexact}</span>;
  return <CopyButton text={text}>{view === 'hex' ? 'Copy hex' : 'Copy text'}</CopyButton>;
}

/** Fetches all of it first. */
function CopyFetched({ source, view }: { readonly source: PayloadSource; readonly view: 'hex' | 'text' }) {
  const [outcome, setOutcome] = useState<string | undefined>();
  const calls = useRef(new AbortController());
  useEffect(() => {
    const own = new AbortController();
    calls.current = own;
    return () => own.abort();
  }, []);
  const isLarge = source.sizeBytes > maxCopiedBytes;
  const copy = async (): Promise<void> => {
    const { signal } = calls.current;
    try {
      const text = textFor(view, await wholeOf(source, signal));
      setOutcome(text === undefined ? inexact : copyText(text) ? 'Copied' : 'Could not copy');
    } catch {
      if (!signal.aborted) setOutcome('Could not copy: the bytes could not be fetched');
    }
  };
  const why = `larger than ${formatBytes(maxCopiedBytes)}: save it to a file`;
  return (
    <>
      <Button disabledReason={isLarge ? why : undefined} onClick={() => void copy()}>
        {view === 'hex' ? 'Copy hex' : 'Copy text'}
      </Button>
      <span aria-live="polite" className="dim">
        {outcome}
      </span>
    </>
  );
}

/** Writes all of it to a file, and says where it went wrong. */
function SaveButton({ onSave }: { readonly onSave: () => Promise<unknown> }) {
  const { isBusy, report, run } = useAttempt();
  const [isSaved, setIsSaved] = useState(false);
  const save = async (): Promise<void> => setIsSaved(await run('Save', onSave));
  return (
    <>
      <Button icon={Save} disabledReason={isBusy ? 'it is being saved' : undefined} onClick={() => void save()}>
        Save…
      </Button>
      <span aria-live="polite" className={report === undefined ? 'dim' : 'tone-bad'}>
        {report === undefined ? isSaved && 'Saved' : `${report.doing}: ${report.why}`}
      </span>
    </>
  );
}

export interface ByteStripProps<Id extends string> extends ChoiceSwitchProps<Id> {
  readonly source: PayloadSource;
  readonly onSave?: (() => Promise<unknown>) | undefined;
}

export function ByteStrip<Id extends string>({ source, onSave, ...choice }: ByteStripProps<Id>) {
  const view = choice.chosen === 'hex' ? 'hex' : 'text';
  return (
    <div className="payload-actions">
      <ChoiceSwitch {...choice} />
      {isAtHand(source) ? (
        <CopyHere bytes={source.head} view={view} />
      ) : (
        <CopyFetched key={view} source={source} view={view} />
      )}
      {onSave !== undefined && <SaveButton onSave={onSave} />}
      <span className="dim">{formatBytes(source.sizeBytes)}</span>
    </div>
  );
}
