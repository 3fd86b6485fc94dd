/** The live table's header, and the widths of its columns. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import type { CSSProperties } from 'react';
import { formatZone, type Zone } from '../../ui/format.ts';
import { Splitter } from '../../ui/splitter.tsx';
import { type Size, useSize } from '../../ui/use-size.ts';

export interface Columns {
  readonly time: Size;
  readonly subject: Size;
  readonly peer: Size;
  readonly seq: Size;
  readonly size: Size;
  /** Sets the widths for header and rows at once; the preview takes what is left. */
  readonly style: CSSProperties;
}

const minPreviewPx = 96;
/** Three glyphs; nothing in it ever needs more room. */
const trustPx = 68;

/** The remembered widths. */
export function useColumns(): Columns {
  const time = useSize('streams.time', { initialPx: 104, minPx: 64, maxPx: 240 });
  const subject = useSize('streams.subject', { initialPx: 176, minPx: 64, maxPx: 720 });
  const peer = useSize('streams.peer', { initialPx: 76, minPx: 48, maxPx: 400 });
  const seq = useSize('streams.seq', { initialPx: 68, minPx: 48, maxPx: 240 });
  const size = useSize('streams.size', { initialPx: 68, minPx: 48, maxPx: 240 });
  const widths = [time, subject, peer, seq, size].map((column) => column.px);
  const totalPx = widths.reduce((sum, px) => sum + px, trustPx + minPreviewPx);
  const template = `${widths.map((px) => `${px}px`).join(' ')} ${trustPx}px minmax(${minPreviewPx}px, 1fr)`;
  const style = { '--live-columns': template, '--live-min-width': `${totalPx}px` } as CSSProperties;
  return { time, subject, peer, seq, size, style };
}

interface HeadingProps {
  readonly title: string;
  /** What the title leaves out, for screen readers and on hover. */
  readonly more?: string;
  readonly size?: Size;
  readonly isNumber?: boolean;
}

function Heading({ title, more, size, isNumber = false }: HeadingProps) {
  return (
    <div role="columnheader" className={isNumber ? 'live-heading live-number' : 'live-heading'}>
      <span className="live-heading-text" title={more === undefined ? undefined : `${title}: ${more}`}>
        {title}
        {more !== undefined && <span className="visually-hidden">: {more}</span>}
      </span>
      {size && (
        <Splitter label={`Width of the column ${title}`} size={size} sizes="before" className="live-column-edge" />
      )}
    </div>
  );
}

export function LiveHeader({ columns, zone }: { readonly columns: Columns; readonly zone: Zone }) {
  return (
    <div role="rowgroup" className="live-header">
      <div role="row" className="live-header-row" aria-rowindex={1}>
        <Heading title={`Time (${formatZone(zone, Date.now())})`} size={columns.time} />
        <Heading title="Subject" size={columns.subject} />
        <Heading title="Peer" size={columns.peer} />
        <Heading title="Seq" size={columns.seq} isNumber />
        <Heading title="Size" size={columns.size} isNumber />
        <Heading title="Trust" more="seal, signature, chain" />
        <Heading title="Preview" />
      </div>
    </div>
  );
}
