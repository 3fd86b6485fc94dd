/** Adds or changes a connection. No secret is typed here: credentials are imported. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { ConnectionContext } from '../../../shared/contract/connections-contract.ts';
import { contextColours } from '../../../shared/settings/setting-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { environmentColour } from '../../ui/environment-colour.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { ChoiceField, type ChoiceOption } from './choice-field.tsx';
import {
  type ConnectionErrors,
  type ConnectionFields,
  type ConnectionInput,
  errorAtField,
  fieldsOf,
  readConnectionForm,
} from './connection-form.ts';
import { useConnectionWork, useWorkState } from './use-connection-work.ts';

const kinds: readonly ChoiceOption<ConnectionFields['kind']>[] = [
  { value: 'remote', label: 'Remote: a server that runs already' },
  { value: 'managed', label: 'Managed: a nats-server that this app starts' },
];
const colours = contextColours.map((value) => ({
  value: value as string,
  label: value,
  swatch: environmentColour({ kind: 'remote', colour: value }),
}));

type SetField = (change: Partial<ConnectionFields>) => void;

/** Leads to the first field that is wrong, each time that the form was refused; typing on changes the errors, not the focus. */
function useWrongFieldFocus(refusedCount: number) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusedCount > 0) form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus();
  }, [refusedCount]);
  return form;
}

/** Fields, what is wrong with them, and the way to the engine and back. */
function useForm(context: ConnectionContext | undefined, onClose: () => void) {
  const { client, notify } = useWorkbench();
  const names = useSnapshot('connections.state')?.contexts.map(({ name }) => name) ?? [];
  const [fields, setFields] = useState(() => fieldsOf(context));
  const [errors, setErrors] = useState<ConnectionErrors>({});
  const [refusedCount, setRefusedCount] = useState(0);
  const { isBusy, report, run, clear } = useAttempt();
  const refuse = (wrong: ConnectionErrors): void => {
    setErrors(wrong);
    setRefusedCount((count) => count + 1);
  };
  const set: SetField = (change) => {
    setFields({ ...fields, ...change });
    const cleared = Object.fromEntries(Object.keys(change).map((name) => [name, undefined]));
    setErrors({ ...errors, ...cleared });
    clear();
  };
  const save = async (input: ConnectionInput): Promise<void> => {
    await run('Save the connection', async () => {
      try {
        await client.connections.save(input);
      } catch (error) {
        const atField = errorAtField(error, { kind: input.kind, isNew: context === undefined });
        if (atField === undefined) throw error;
        refuse(atField);
        return;
      }
      notify(`The connection ${input.name} is kept in the settings.`);
      onClose();
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    const form = readConnectionForm(fields, context === undefined ? names : []);
    if (form.kind === 'wrong') refuse(form.errors);
    else {
      setErrors({});
      void save(form.input);
    }
  };
  return { fields, errors, set, submit, isBusy, report, form: useWrongFieldFocus(refusedCount) };
}

interface PartProps {
  readonly fields: ConnectionFields;
  readonly errors: ConnectionErrors;
  readonly set: SetField;
}

function Servers({ fields, errors, set }: PartProps) {
  if (fields.kind === 'managed') {
    return <p className="field-note">It listens on this machine alone, with credentials that the app makes for it.</p>;
  }
  return (
    <Field
      isData
      label="Servers"
      hint="nats:// or tls://, several with commas between. No password: credentials are imported."
      value={fields.url}
      error={errors.url}
      data-testid="connection-url"
      onChange={(event) => set({ url: event.target.value })}
    />
  );
}

function ReadOnly({ fields, errors, set }: PartProps) {
  return (
    <div className="field">
      <label className="connection-check">
        <input
          type="checkbox"
          checked={fields.isReadOnly}
          aria-describedby="connection-read-only-note"
          data-testid="connection-read-only-box"
          onChange={(event) => set({ isReadOnly: event.target.checked })}
        />
        Read-only
      </label>
      <p
        id="connection-read-only-note"
        className={errors.isReadOnly === undefined ? 'field-note' : 'field-note field-note-bad'}
      >
        {errors.isReadOnly ?? 'Every action that publishes is off while it is used.'}
      </p>
    </div>
  );
}

interface FormProps {
  readonly context: ConnectionContext | undefined;
  readonly onClose: () => void;
}

function ConnectionFieldsForm({ context, onClose }: FormProps) {
  const { fields, errors, set, submit, isBusy, report, form } = useForm(context, onClose);
  const part = { fields, errors, set };
  return (
    <form ref={form} className="dialog-body" noValidate onSubmit={submit}>
      {context === undefined && (
        <Field
          autoFocus
          isData
          label="Name"
          hint="It marks the environment everywhere."
          value={fields.name}
          error={errors.name}
          data-testid="connection-name"
          onChange={(event) => set({ name: event.target.value })}
        />
      )}
      <ChoiceField
        label="Kind"
        options={kinds}
        value={fields.kind}
        error={errors.kind}
        onChoose={(kind) => set({ kind })}
      />
      <Servers {...part} />
      <ChoiceField
        label="Colour"
        isInline
        options={colours}
        value={fields.colour}
        error={errors.colour}
        onChoose={(colour) => set({ colour })}
      />
      <ReadOnly {...part} />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          data-testid="connection-save"
          disabledReason={isBusy ? 'it is being saved' : undefined}
        >
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

export function ConnectionDialog() {
  const work = useConnectionWork();
  const editing = useWorkState((state) => state.editing);
  const close = (): void => work.store.setState({ editing: undefined });
  if (editing === undefined) return null;
  const { context } = editing;
  return (
    <Dialog
      isOpen
      onClose={close}
      title={context === undefined ? 'Add a connection' : `Edit the connection ${context.name}`}
      {...(context === undefined ? {} : { tint: environmentColour(context) })}
    >
      <ConnectionFieldsForm context={context} onClose={close} />
    </Dialog>
  );
}
