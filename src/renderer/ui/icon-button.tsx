/** The button with an icon only; its name shows on hover and on focus, and to screen readers always. */
import type { LucideIcon } from 'lucide-react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { ariaKeys, isApplePlatform } from '../actions/key-bindings.ts';
import { KeyHint } from './key-hint.tsx';
import { Tooltip, type TooltipProps } from './tooltip.tsx';
import './icon-button.css';

export interface IconButtonProps
  extends Omit<ComponentPropsWithRef<'button'>, 'disabled' | 'title' | 'type' | 'children' | 'aria-label'> {
  readonly icon: LucideIcon;
  /** Its accessible name, verb first. */
  readonly label: string;
  /** Longer text of the tooltip; the label by default. */
  readonly hint?: string | undefined;
  readonly keys?: string | undefined;
  readonly disabledReason?: string | undefined;
  readonly side?: TooltipProps['side'];
}

export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, hint = label, keys, disabledReason, side = 'bottom', className, onClick, ...rest } = props;
  const isDisabled = disabledReason !== undefined;
  const onAllowedClick = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isDisabled) event.preventDefault();
    else onClick?.(event);
  };
  const tooltip = (
    <>
      <span>{isDisabled ? `${label.replace(/…$/, '')}: ${disabledReason}` : hint}</span>
      {keys !== undefined && <KeyHint keys={keys} />}
    </>
  );
  return (
    <Tooltip content={tooltip} side={side}>
      <button
        {...rest}
        type="button"
        className={`icon-button${className === undefined ? '' : ` ${className}`}`}
        aria-label={label}
        aria-disabled={isDisabled || undefined}
        aria-keyshortcuts={keys === undefined ? undefined : ariaKeys(keys, isApplePlatform(navigator.userAgent))}
        onClick={onAllowedClick}
      >
        <Icon aria-hidden="true" />
      </button>
    </Tooltip>
  );
}
