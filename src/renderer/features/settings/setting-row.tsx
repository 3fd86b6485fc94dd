/** One setting: name and help, what it is changed with and what is allowed, whether it is the default. */
import { TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';
import { Button } from '../../ui/button.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { policyWords } from './policy-words.ts';
import { appliesWords, controlOf, hasField, settingLabel, weaknessOf } from './setting-catalog.ts';
import { SettingControl } from './setting-control.tsx';
import { type SettingWriter, useSetting } from './use-setting.ts';
import './setting-row.css';

export interface SettingRowProps {
  readonly setting: SettingValue;
  readonly contexts: readonly string[];
}

/** What follows from a rule of the encryption policy. */
function PolicyNote({ setting: { key, value } }: Pick<SettingRowProps, 'setting'>) {
  const words = policyWords(key, value === true, useSnapshot('streams.quarantine'));
  if (words === undefined) return null;
  return (
    <p className="setting-consequence" data-testid={`setting-consequence-${key}`}>
      {words}
    </p>
  );
}

interface NoteProps extends Pick<SettingRowProps, 'setting'> {
  readonly id: string;
  readonly problem: string | undefined;
  /** The control does not show by itself what is allowed. */
  readonly needsAllowed: boolean;
}

/** One line whatever it says, so that nothing moves: what is wrong, else what is weak, else what is allowed. */
function Note({ id, setting, problem, needsAllowed }: NoteProps) {
  const weakness = weaknessOf(setting);
  const applies = appliesWords(setting);
  if (problem !== undefined) {
    return (
      <p id={id} className="setting-note setting-bad" role="alert" data-testid={`setting-problem-${setting.key}`}>
        {problem}
      </p>
    );
  }
  return (
    <p id={id} className="setting-note">
      {weakness !== undefined && (
        <span className="setting-weak">
          <TriangleAlert size={12} aria-hidden="true" />
          {weakness}
        </span>
      )}
      {weakness === undefined && [needsAllowed ? setting.allowed : '', applies ?? ''].filter(Boolean).join(' · ')}
    </p>
  );
}

function Mark({ setting, writer }: { readonly setting: SettingValue; readonly writer: SettingWriter }) {
  if (writer.isSaving) return <span className="dim">saving…</span>;
  if (setting.isDefault) return <span className="dim">default</span>;
  return (
    <Button
      variant="quiet"
      aria-label={`Reset ${settingLabel(setting.key)}`}
      data-testid={`setting-reset-${setting.key}`}
      onClick={writer.reset}
    >
      Reset
    </Button>
  );
}

export function SettingRow({ setting, contexts }: SettingRowProps) {
  const id = useId();
  const writer = useSetting(setting.key, setting.value);
  const control = controlOf(setting, contexts);
  const isField = hasField(control);
  const label = settingLabel(setting.key);
  const needsAllowed = control.kind === 'text' || control.kind === 'number';
  return (
    <div
      className="setting"
      data-testid={`setting-${setting.key}`}
      data-setting={setting.key}
      data-default={setting.isDefault}
    >
      <div className="setting-words">
        <p className="setting-head">
          {isField ? (
            <label id={`${id}-label`} htmlFor={id} className="setting-label">
              {label}
            </label>
          ) : (
            <span id={`${id}-label`} className="setting-label">
              {label}
            </span>
          )}
          <span className="setting-key data">{setting.key}</span>
        </p>
        <p className="setting-help">{setting.help}</p>
        <PolicyNote setting={setting} />
      </div>
      <div className="setting-value">
        <SettingControl
          setting={setting}
          control={control}
          writer={writer}
          id={id}
          labelId={`${id}-label`}
          noteId={`${id}-note`}
        />
        <Note id={`${id}-note`} setting={setting} problem={writer.problem} needsAllowed={needsAllowed} />
      </div>
      <div className="setting-mark">
        <Mark setting={setting} writer={writer} />
      </div>
    </div>
  );
}
