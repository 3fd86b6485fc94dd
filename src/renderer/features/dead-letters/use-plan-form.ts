/** What the questions about a plan share: where it is, whether its name is to be typed, how the last try ended. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { type Environment, useEnvironment } from '../../state/use-environment.ts';
import { type Attempt, useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot } from '../../workbench.tsx';
import { needsTyping, type Planned, whyNotChange } from './letter-reasons.ts';

export interface PlanForm {
  readonly environment: Environment | undefined;
  /** Whether the name of the environment is to be typed. */
  readonly isGuarded: boolean;
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  readonly reason: string;
  readonly setReason: (text: string) => void;
  readonly attempt: Attempt;
  /** Why it cannot be done now. */
  readonly disabledReason: string | undefined;
}

/** `environmentName`: where the plan is, as it is to be typed. */
export function usePlanForm(planned: Planned, environmentName: string): PlanForm {
  const environment = useEnvironment();
  const connection = useSnapshot('connections.state');
  const attempt = useAttempt();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const isGuarded = needsTyping(planned, connection);
  const untyped =
    isGuarded && typed.trim() !== environmentName ? `type ${visibleText(environmentName)} first` : undefined;
  const busy = attempt.isBusy ? 'it is under way' : undefined;
  const empty = planned.count === 0 ? 'nothing is left to do it with' : undefined;
  return {
    ...{ environment, isGuarded, typed, setTyped, reason, setReason, attempt },
    disabledReason: whyNotChange({ connection }) ?? empty ?? busy ?? untyped,
  };
}
