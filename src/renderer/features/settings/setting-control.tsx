/** What one setting is changed with: a switch, radio buttons, boxes, a list, a time from now, or a field that commits on Enter and when it is left. */
import { type KeyboardEvent, useState } from 'react';
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';
import { listOf, listText } from '../../../shared/settings/setting-keys.ts';
import { Button } from '../../ui/button.tsx';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
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

/** Any of the choices; none of them is the default. */
function Several({ choices, ...props }: SettingControlProps & { readonly choices: readonly string[] }) {
  const { setting, writer } = props;
  const chosen = listOf(writer.shown === null ? null : String(writer.shown));
  const toggle = (choice: string, isIn: boolean): void => {
    const text = listText([...chosen.filter((one) => one !== choice), ...(isIn ? [choice] : [])]);
    if (text === null) writer.reset();
    else writer.set(text);
  };
  return (
    <div role="group" className="setting-several" aria-labelledby={props.labelId} {...aria(props)}>
      {choices.map((choice) => (
        <label key={choice} className="setting-radio">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            data-testid={`setting-input-${setting.key}-${choice}`}
            onChange={(event) => toggle(choice, event.target.checked)}
          />
          {choiceLabel(choice)}
        </label>
      ))}
    </div>
  );
}

const hourMs = 3_600_000;

/** A time for which it holds, chosen from now. */
function Until(props: SettingControlProps) {
  const { writer, labelId, noteId, setting } = props;
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  const untilMs = writer.shown === null ? Number.NaN : Date.parse(String(writer.shown));
  const isOn = untilMs > nowMs;
  return (
    <div role="group" className="setting-until" aria-labelledby={labelId} aria-describedby={noteId}>
      <span className={isOn ? 'setting-until-on' : 'dim'}>
        {isOn ? `until ${formatDateTime(untilMs, zone).slice(0, 16)} · ${formatRelative(untilMs, nowMs)}` : 'not muted'}
      </span>
      {[1, 8].map((hours) => (
        <Button
          key={hours}
          data-testid={`setting-input-${setting.key}-${hours}h`}
          onClick={() => writer.set(new Date(nowMs + hours * hourMs).toISOString())}
        >
          {`${hours} h`}
        </Button>
      ))}
    </div>
  );
}

function TextField({
  isNumber,
  unit,
  ...props
}: SettingControlProps & { readonly isNumber: boolean; readonly unit?: string | undefined }) {
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
  const field = (
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
  if (unit === undefined) return field;
  return (
    <span className="setting-with-unit">
      {field}
      <span className="dim">{unit}</span>
    </span>
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
    case 'several':
      return <Several {...props} choices={control.choices} />;
    case 'number':
      return <TextField {...props} isNumber unit={control.unit} />;
    case 'until':
      return <Until {...props} />;
    case 'text':
      return <TextField {...props} isNumber={false} />;
  }
}
