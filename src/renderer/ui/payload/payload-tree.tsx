/** A payload as a tree of JSON; a big one says its size and asks first. */
import { Button } from '../button.tsx';
import { formatBytes } from '../format.ts';
import { JsonTree } from './json-tree.tsx';
import { askAboveBytes } from './payload-json.ts';
import type { PayloadReading } from './use-payload-json.ts';
import './payload.css';

export interface PayloadTreeProps {
  readonly sizeBytes: number;
  readonly json: PayloadReading;
  readonly onShowText: () => void;
}

export function PayloadTree({ sizeBytes, json: { reading, readAll }, onShowText }: PayloadTreeProps) {
  const size = formatBytes(sizeBytes);
  if (reading.kind === 'json') return <JsonTree root={reading.root} />;
  if (reading.kind !== 'big') return <p className="payload-wait dim">Reading {size} of JSON…</p>;
  return (
    <div className="payload-wait" data-testid="payload-big">
      <p>This payload has {size}: as a tree it takes a moment.</p>
      <div className="payload-choices">
        <Button onClick={onShowText}>Show first {formatBytes(askAboveBytes).replace('.0', '')} as text</Button>
        <Button onClick={readAll}>Open all</Button>
      </div>
    </div>
  );
}
