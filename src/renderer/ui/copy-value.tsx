/** A key or id, shortened in the middle; whole on hover, copied whole by the button beside it. */
import { CopyIcon, type CopyIconProps } from './copy-icon.tsx';
import { shortenId } from './format.ts';
import './copy-value.css';

const shownLength = 20;

export interface CopyValueProps extends CopyIconProps {
  /** Characters that are shown of it. */
  readonly maxLength?: number;
}

export function CopyValue({ name, value, maxLength = shownLength }: CopyValueProps) {
  return (
    <span className="copy-value">
      <span className="data" title={value}>
        {shortenId(value, maxLength)}
      </span>
      <CopyIcon name={name} value={value} />
    </span>
  );
}
