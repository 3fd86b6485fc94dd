/** The button with words. One that cannot be used now stays reachable and says why. */
import type { LucideIcon } from 'lucide-react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { ariaKeys, isApplePlatform } from '../actions/key-bindings.ts';
import { KeyHint } from './key-hint.tsx';
import { Tooltip } from './tooltip.tsx';
import './button.css';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'disabled' | 'title' | 'type'> {
  /** `primary`: the one next step of a view. `danger`: destroys. `quiet`: no frame until hovered. */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: LucideIcon;
  /** Binding that does the same; printed as a hint. */
  readonly keys?: string | undefined;
  /** Why it cannot be used now; undefined: it can. */
  readonly disabledReason?: string | undefined;
  readonly type?: 'button' | 'submit';
}

export function Button(props: ButtonProps) {
  const {
    variant = 'plain',
    icon: Icon,
    keys,
    disabledReason,
    type = 'button',
    className,
    onClick,
    children,
    ...rest
  } = props;
  const isDisabled = disabledReason !== undefined;
  const onAllowedClick = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isDisabled) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      {...rest}
      type={type}
      className={`button button-${variant}${className === undefined ? '' : ` ${className}`}`}
      aria-disabled={isDisabled || undefined}
      aria-keyshortcuts={keys === undefined ? undefined : ariaKeys(keys, isApplePlatform(navigator.userAgent))}
      onClick={onAllowedClick}
    >
      {Icon && <Icon aria-hidden="true" />}
      <span className="button-label">{children}</span>
      {keys !== undefined && <KeyHint keys={keys} />}
    </button>
  );
  return isDisabled ? <Tooltip content={disabledReason}>{button}</Tooltip> : button;
}
