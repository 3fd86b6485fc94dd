/** The keys of an action, as they are printed on this platform. */
import { isApplePlatform, keyLabel } from '../actions/key-bindings.ts';
import './key-hint.css';

export interface KeyHintProps {
  /** A binding such as `Mod+K`. */
  readonly keys: string;
}

/** Hidden from screen readers: the control that it stands in carries `aria-keyshortcuts`. */
export function KeyHint({ keys }: KeyHintProps) {
  return (
    <span className="key-hint" aria-hidden="true">
      {keyLabel(keys, isApplePlatform(navigator.userAgent))}
    </span>
  );
}
