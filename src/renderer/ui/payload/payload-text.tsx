/** Bytes as text: what would not be seen is shown as a sign, nothing is interpreted; long ones begin with their first part. */
import { memo, useEffect, useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { describeError } from '../describe-error.ts';
import { ErrorNotice } from '../error-notice.tsx';
import { formatBytes, formatCount } from '../format.ts';
import { decodeText, splitText, visibleRuns } from '../visible-text.ts';
import { isAtHand, type PayloadSource } from './payload-source.ts';
import { overhangBytes, pageBytes, pageText } from './text-pages.ts';
import { useSlice } from './use-slice.ts';
import './payload.css';

/** Characters in one part; the first part is shown at once. */
const partLength = 65_536;
/** Parts that are added in one frame after "show all". */
const partsPerFrame = 2;
/** Characters in one block: the browser lays out only blocks in sight, and long ones slowly. */
const blockLength = 2_048;

const Block = memo(function Block({ text }: { readonly text: string }) {
  const runs = visibleRuns(text);
  return (
    <pre className="payload-block">
      {runs.map((run, at) =>
        run.isSign ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the runs of one text never change.
          <span key={at} className="payload-sign">
            {run.text}
          </span>
        ) : (
          run.text
        ),
      )}
    </pre>
  );
});

function Part({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text never change.
  return useMemo(() => splitText(text, blockLength).map((block, at) => <Block key={at} text={block} />), [text]);
}

/** How many parts are shown: one, then more with each frame until all are. */
function useShownParts(total: number): { readonly shown: number; readonly showAll: () => void } {
  const [shown, setShown] = useState(1);
  const [isAll, setIsAll] = useState(false);
  useEffect(() => {
    if (!isAll || shown >= total) return;
    const frame = requestAnimationFrame(() => setShown(shown + partsPerFrame));
    return () => cancelAnimationFrame(frame);
  }, [isAll, shown, total]);
  return { shown: Math.min(shown, total), showAll: () => setIsAll(true) };
}

export interface LongTextProps {
  readonly text: string;
  /** Characters that are shown before more is asked for; undefined: a good screenful. */
  readonly firstLength?: number;
  /** "first 4 096 of 9 000 characters": how much is shown. */
  readonly shownWords?: (shownLength: number) => string;
  readonly 'data-testid': string;
}

/** A text whole, signs for what would not be seen; of a long one its first part, and the way to the rest. */
export function LongText(props: LongTextProps) {
  const { text, firstLength = partLength } = props;
  const { shownWords = (length) => `first ${formatCount(length)} of ${formatCount(text.length)} characters` } = props;
  const parts = useMemo(() => splitText(text, firstLength), [text, firstLength]);
  const { shown, showAll } = useShownParts(parts.length);
  return (
    <>
      <div className="payload-text" data-testid={props['data-testid']}>
        {parts.slice(0, shown).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change.
          <Part key={at} text={part} />
        ))}
      </div>
      {shown < parts.length && (
        <div className="payload-actions">
          <span className="dim">{shownWords(parts.slice(0, shown).reduce((sum, part) => sum + part.length, 0))}</span>
          <Button onClick={showAll}>Show all</Button>
        </div>
      )}
    </>
  );
}

/** One page of a text that is not here whole. */
function TextPages({ source }: { readonly source: PayloadSource }) {
  const [page, setPage] = useState(0);
  const pages = Math.ceil(source.sizeBytes / pageBytes);
  const offset = page * pageBytes;
  const { bytes, error } = useSlice(source, offset, pageBytes + overhangBytes);
  const text = useMemo(() => (bytes === undefined ? '' : pageText(bytes, page === 0)), [bytes, page]);
  const parts = useMemo(() => splitText(text, partLength), [text]);
  const end = Math.min(offset + pageBytes, source.sizeBytes);
  const isFirst = page === 0 ? 'this is the first page' : undefined;
  const isLast = page === pages - 1 ? 'this is the last page' : undefined;
  return (
    <>
      <div className="payload-actions payload-pages">
        <Button disabledReason={isFirst} onClick={() => setPage(0)}>
          First
        </Button>
        <Button disabledReason={isFirst} onClick={() => setPage(page - 1)}>
          Previous
        </Button>
        <Button disabledReason={isLast} onClick={() => setPage(page + 1)}>
          Next
        </Button>
        <Button disabledReason={isLast} onClick={() => setPage(pages - 1)}>
          Last
        </Button>
        <span className="dim" aria-live="polite" data-testid="payload-page">
          {formatBytes(offset)} to {formatBytes(end)} of {formatBytes(source.sizeBytes)}
        </span>
      </div>
      {error !== undefined && (
        <div className="payload-wait">
          <ErrorNotice report={describeError('Read this page', error)} />
        </div>
      )}
      <div className="payload-text" data-testid="payload-text">
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change.
          <Part key={at} text={part} />
        ))}
      </div>
    </>
  );
}

function WholeText({ bytes }: { readonly bytes: Uint8Array }) {
  const { text } = useMemo(() => decodeText(bytes), [bytes]);
  return (
    <LongText
      text={text}
      shownWords={(length) => `first ${formatBytes(length)} of ${formatBytes(bytes.length)}`}
      data-testid="payload-text"
    />
  );
}

export function PayloadText({ source }: { readonly source: PayloadSource }) {
  if (source.sizeBytes === 0) return <p className="payload-wait dim">The payload is empty: 0 bytes.</p>;
  return isAtHand(source) ? <WholeText bytes={source.head} /> : <TextPages source={source} />;
}
