/** The field that narrows a list: Enter and the arrow lead back to the list, Esc clears it first. */
import { X } from 'lucide-react';
import type { KeyboardEvent, RefObject } from 'react';
import { IconButton } from './icon-button.tsx';

export interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Goes back to the list. */
  readonly onLeave: () => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly className: string;
  readonly 'data-testid': string;
}

export function FilterField(props: FilterFieldProps) {
  const { label, placeholder, value, onChange, onLeave, inputRef, className } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onChange('');
    else if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onLeave();
  };
  return (
    <span className={className}>
      <input
        ref={inputRef}
        className="field-input"
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        aria-label={label}
        aria-keyshortcuts="/"
        data-testid={props['data-testid']}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {value !== '' && <IconButton icon={X} label="Clear the filter" onClick={() => onChange('')} />}
    </span>
  );
}
