/** A few choices in one frame, one of them pressed; arrows move between them. */
import { ToggleGroup } from 'radix-ui';
import type { Choice } from './choice.ts';
import './choice-switch.css';

export interface ChoiceSwitchProps<Id extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  /** Each choice has `<testId>-<id>`. */
  readonly testId: string;
}

export function ChoiceSwitch<Id extends string>({ label, choices, chosen, onChoose, testId }: ChoiceSwitchProps<Id>) {
  return (
    <ToggleGroup.Root
      type="single"
      className="choice-switch"
      aria-label={label}
      value={chosen}
      onValueChange={(id) => id !== '' && onChoose(id as Id)}
    >
      {choices.map(({ id, title, disabledReason }) => (
        <ToggleGroup.Item
          key={id}
          className="choice-switch-item"
          value={id}
          disabled={disabledReason !== undefined}
          title={disabledReason}
          data-testid={`${testId}-${id}`}
        >
          {title}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
