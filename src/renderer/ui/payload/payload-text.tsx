/** Bytes as text: what would not be seen is shown as a sign, nothing is interpreted; long ones begin with their first part. */
import { memo, useEffect, useMemo, useState } from 'react';
import { Button } from '../button.tsx';
import { formatBytes } from '../format.ts';
import { decodeText, splitText, visibleRuns } from '../visible-text.ts';
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

export function PayloadText({ bytes }: { readonly bytes: Uint8Array }) {
  const { text } = useMemo(() => decodeText(bytes), [bytes]);
  const parts = useMemo(() => splitText(text, partLength), [text]);
  const { shown, showAll } = useShownParts(parts.length);
  if (bytes.length === 0) return <p className="payload-wait dim">The payload is empty: 0 bytes.</p>;
  return (
    <>
      <div className="payload-text" data-testid="payload-text">
        {parts.slice(0, shown).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change.
          <Part key={at} text={part} />
        ))}
      </div>
      {shown < parts.length && (
        <div className="payload-actions">
          <span className="dim">
            first {formatBytes(shown * partLength)} of {formatBytes(bytes.length)}
          </span>
          <Button onClick={showAll}>Show all</Button>
        </div>
      )}
    </>
  );
}
