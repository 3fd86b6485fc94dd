/** Two messages beside each other: what differs in their facts and in their payloads. */
import { useCallback, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import type { MessageRef } from '../../state/bookmarks.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { findMessage } from './find-message.ts';
import { type Difference, diffFacts, diffPayloads, maxComparedBytes, type PayloadDiff } from './message-diff.ts';
import { selectedPlace } from './selected-place.ts';
import type { AnyTable } from './streams-toolbar.tsx';
import { useAsked } from './use-asked.ts';
import './mark-dialogs.css';

interface Compared {
  readonly a: BufferedMessage;
  readonly b: BufferedMessage;
  readonly facts: readonly Difference[];
  /** A string: why payloads are not compared. */
  readonly payload: PayloadDiff | string;
  readonly sizes: readonly [number, number];
}

type Asked = Pick<Workbench['client'], 'streams'>;

/** The beginning of an opened payload, as much as is compared; a string: why it does not open. */
async function payloadOf({ streams }: Asked, { seq, stream }: BufferedMessage, signal: AbortSignal) {
  const opened = await streams.open({ seq, stream }, { signal });
  if (opened.kind === 'failed') return opened.failure.why;
  const { bytes: head, sizeBytes } = opened;
  if (head.length === sizeBytes) return { bytes: head, sizeBytes };
  const place = { seq, stream, part: 'payload', offset: 0, length: maxComparedBytes } as const;
  return { bytes: await streams.slice(place, { signal }), sizeBytes };
}

interface Pair {
  readonly marked: MessageRef;
  readonly place: { readonly seq: number; readonly stream: string | null };
}

/** Reads and compares both; a string: why not. */
async function compare(client: Asked, { marked, place }: Pair, signal: AbortSignal): Promise<Compared | string> {
  const a = await findMessage(marked, { client, signal });
  if (a === undefined) return 'The marked message has left: neither what this app holds nor a stream has it any more.';
  const b = await client.streams.read(place, { signal });
  const [left, right] = [await payloadOf(client, a, signal), await payloadOf(client, b, signal)];
  const facts = diffFacts(a, b);
  if (typeof left === 'string') return { a, b, facts, payload: `A does not open: ${left}`, sizes: [0, 0] };
  if (typeof right === 'string') return { a, b, facts, payload: `B does not open: ${right}`, sizes: [0, 0] };
  const sizes = [left.sizeBytes, right.sizeBytes] as const;
  return { a, b, facts, payload: diffPayloads(left.bytes, right.bytes), sizes };
}

function DifferenceTable({ rows, label }: { readonly rows: readonly Difference[]; readonly label: string }) {
  const side = (value: string | null) =>
    value === null ? <span className="dim">not there</span> : <span>{visibleText(value)}</span>;
  return (
    <table className="compare-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody className="data">
        {rows.map(({ name, a, b }) => (
          <tr key={name} data-testid="difference">
            <th scope="row">{visibleText(name)}</th>
            <td>{side(a)}</td>
            <td>{side(b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const signs = { same: ' ', removed: 'A', added: 'B' } as const;

function PayloadDifference({ payload }: { readonly payload: PayloadDiff | string }) {
  if (typeof payload === 'string') return <p className="tone-wait">{visibleText(payload)}</p>;
  if (payload.kind === 'same') return <p data-testid="payload-same">The payloads are the same, to the byte.</p>;
  if (payload.kind === 'lines') {
    return (
      <div className="compare-lines data">
        {payload.lines.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never change.
          <div key={at} className={kind === 'same' ? 'dim' : undefined} data-testid="difference">
            {signs[kind]} {visibleText(text)}
          </div>
        ))}
      </div>
    );
  }
  if (payload.differences.length === 0) return <p>The payloads say the same, and are written otherwise.</p>;
  return <DifferenceTable rows={payload.differences} label="Differences of the payloads" />;
}

function Comparison({ facts, payload, sizes: [left, right] }: Compared) {
  const leftOut = typeof payload === 'object' && payload.kind !== 'same' ? payload.leftOut : 0;
  return (
    <>
      <h3 className="detail-heading">Subject and envelope</h3>
      {facts.length === 0 ? (
        <p>They are the same.</p>
      ) : (
        <DifferenceTable rows={facts} label="Differences of the envelopes" />
      )}
      <h3 className="detail-heading">
        Payload: {formatBytes(left)} and {formatBytes(right)}
      </h3>
      {Math.max(left, right) > maxComparedBytes && (
        <p className="tone-wait">Only the first {formatBytes(maxComparedBytes)} of each are compared.</p>
      )}
      <PayloadDifference payload={payload} />
      {leftOut > 0 && <p className="tone-wait">{formatCount(leftOut)} more are not listed.</p>}
    </>
  );
}

interface CompareProps {
  readonly model: AnyTable;
  readonly onClose: () => void;
}

function CompareContent({ marked, place }: Pair) {
  const { client } = useWorkbench();
  const ask = useCallback((signal: AbortSignal) => compare(client, { marked, place }, signal), [client, marked, place]);
  const asked = useAsked(ask);
  if (asked.kind === 'asking') return <p className="dim">Comparing…</p>;
  if (asked.kind === 'failed') return <ErrorNotice report={describeError('Compare the messages', asked.error)} />;
  return typeof asked.value === 'string' ? <p>{asked.value}</p> : <Comparison {...asked.value} />;
}

export function CompareDialog({ model, onClose }: CompareProps) {
  const [place] = useState(() => selectedPlace(model));
  const marked = useViewState((state) => state.comparedTo);
  if (place === undefined || marked === null) return null;
  const where = (stream: string | null, seq: number): string =>
    `#${formatCount(seq)}${stream === null ? '' : ` of ${stream}`}`;
  return (
    <Dialog
      isOpen
      kind="wide"
      onClose={onClose}
      title="Compare two messages"
      description={`A: ${where(marked.stream, marked.seq)} · B: ${where(place.stream, place.seq)}`}
    >
      <div className="dialog-body" data-testid="comparison">
        <CompareContent marked={marked} place={place} />
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
