/** What one setting is changed with: a switch, radio buttons, a list, or a field that commits on Enter and when it is left. */
import { type KeyboardEvent, useState } from 'react';
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';
import { type Control, choiceLabel, hasField } from './setting-catalog.ts';
import { readDraft, textOf } from './setting-draft.ts';
import type { SettingWriter } from './use-setting.ts';

export interface SettingControlProps {
  readonly setting: SettingValue;
  readonly control: Control;
  readonly writer: SettingWriter;
  /** Id of the field, if it is one. */
  readonly id: string;
  /** Ids of what names and describes it. */
  readonly labelId: string;
  readonly noteId: string;
}

function aria({ noteId, writer }: SettingControlProps) {
  return {
    'aria-describedby': noteId,
    'aria-invalid': writer.problem !== undefined || undefined,
  };
}

function Toggle(props: SettingControlProps) {
  const isOn = props.writer.shown === true;
  return (
    <label className="setting-toggle">
      <input
        {...aria(props)}
        aria-labelledby={props.labelId}
        type="checkbox"
        checked={isOn}
        data-testid={`setting-input-${props.setting.key}`}
        onChange={(event) => props.writer.set(event.target.checked)}
      />
      {isOn ? 'On' : 'Off'}
    </label>
  );
}

function Radios({ choices, ...props }: SettingControlProps & { readonly choices: readonly string[] }) {
  return (
    <div role="radiogroup" className="setting-radios" aria-labelledby={props.labelId} {...aria(props)}>
      {choices.map((choice) => (
        <label key={choice} className="setting-radio">
          <input
            type="radio"
            name={`setting-${props.setting.key}`}
            value={choice}
            checked={choice === props.writer.shown}
            onChange={() => props.writer.set(choice)}
          />
          {choiceLabel(choice)}
        </label>
      ))}
    </div>
  );
}

function List({ choices, ...props }: SettingControlProps & { readonly choices: readonly string[] }) {
  return (
    <select
      {...aria(props)}
      id={props.id}
      className="field-input setting-list"
      value={textOf(props.writer.shown)}
      data-testid={`setting-input-${props.setting.key}`}
      onChange={(event) => props.writer.set(event.target.value)}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choiceLabel(choice)}
        </option>
      ))}
    </select>
  );
}

function TextField({ isNumber, ...props }: SettingControlProps & { readonly isNumber: boolean }) {
  const { setting, writer } = props;
  const saved = textOf(setting.value);
  const [draft, setDraft] = useState<string | undefined>();
  const [seen, setSeen] = useState(saved);
  if (saved !== seen) {
    setSeen(saved);
    setDraft(undefined);
  }
  const commit = (text: string): void => {
    const read = readDraft(text, setting, isNumber);
    if (read.kind === 'set') writer.set(read.value);
    else if (read.kind === 'reset') writer.reset();
    else if (read.kind === 'wrong') writer.mark(read.message);
    else writer.mark(undefined);
    if (read.kind === 'unchanged' || read.kind === 'reset') setDraft(undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') commit(event.currentTarget.value);
    if (event.key !== 'Escape' || draft === undefined) return;
    event.preventDefault();
    setDraft(undefined);
    writer.mark(undefined);
  };
  return (
    <input
      {...aria(props)}
      id={props.id}
      className={`field-input data${isNumber ? ' setting-number' : ''}`}
      inputMode={isNumber ? 'numeric' : 'text'}
      autoComplete="off"
      spellCheck={false}
      placeholder="not set"
      value={draft ?? saved}
      data-testid={`setting-input-${setting.key}`}
      onChange={(event) => {
        setDraft(event.target.value);
        writer.mark(undefined);
      }}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        // What was refused already is not sent again by leaving it.
        if (draft !== undefined && writer.problem === undefined) commit(event.currentTarget.value);
      }}
    />
  );
}

export function SettingControl(props: SettingControlProps) {
  const { control } = props;
  switch (control.kind) {
    case 'toggle':
      return <Toggle {...props} />;
    case 'choice':
      return !hasField(control) ? (
        <Radios {...props} choices={control.choices} />
      ) : (
        <List {...props} choices={control.choices} />
      );
    case 'number':
      return <TextField {...props} isNumber />;
    case 'text':
      return <TextField {...props} isNumber={false} />;
  }
}
