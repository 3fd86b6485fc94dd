/** A button for a registered action: its title, keys and reason come from the registry. */
import type { LucideIcon } from 'lucide-react';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { useAllActions, useDisabledReason, useRunAction } from './use-registry.ts';

export interface ActionButtonProps {
  /** Id of the action; nothing is drawn while it is not registered. */
  readonly action: string;
  readonly variant?: ButtonProps['variant'];
  readonly icon?: LucideIcon;
  /** Shorter words than the title, where the place says the rest. */
  readonly label?: string;
}

export function ActionButton({ action: id, variant = 'plain', icon, label }: ActionButtonProps) {
  const action = useAllActions().find((one) => one.id === id);
  const disabledReason = useDisabledReason(action);
  const run = useRunAction();
  if (action === undefined) return null;
  return (
    <Button
      variant={variant}
      {...(icon === undefined ? {} : { icon })}
      data-testid={`action-${id}`}
      keys={action.keys?.[0]}
      disabledReason={disabledReason}
      onClick={() => void run(action)}
    >
      {label ?? action.title}
    </Button>
  );
}
