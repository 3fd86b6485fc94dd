/** A panel at the right of what it tells more of: resizable, over the content where there is no room beside it; Esc closes it. */
import type { ReactNode } from 'react';
import { Splitter } from './splitter.tsx';
import { type SizeBounds, useSize } from './use-size.ts';
import './side-panel.css';

export interface SidePanelProps {
  /** Accessible name. */
  readonly label: string;
  /** Under which its width is remembered. */
  readonly sizeName: string;
  readonly bounds: SizeBounds;
  readonly onClose: () => void;
  /** It says only that nothing is selected: then it covers nothing. */
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
  readonly 'data-testid'?: string;
}

export function SidePanel(props: SidePanelProps) {
  const { label, sizeName, bounds, onClose, isEmpty = false, children } = props;
  const size = useSize(sizeName, bounds);
  return (
    <div className="side-panel" data-empty={isEmpty}>
      <Splitter label={`Width of the ${label.toLowerCase()}`} size={size} sizes="after" />
      <aside
        className="side-panel-content"
        aria-label={label}
        style={{ width: `${size.px}px` }}
        data-testid={props['data-testid']}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.preventDefault();
          onClose();
        }}
      >
        {children}
      </aside>
    </div>
  );
}
