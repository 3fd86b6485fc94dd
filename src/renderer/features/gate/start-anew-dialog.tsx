/** Guards "start anew": says what is given up, asks for the phrase; the safe button has the focus. */
import { type FormEvent, useState } from 'react';
import type { KeyStoreState, startAnewPhrase } from '../../../shared/contract/identity-contract.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useWorkbench } from '../../workbench.tsx';
import { IdentityFields } from './identity-fields.tsx';
import { type IdentityErrors, readIdentityForm, suggestedIdentity } from './identity-form.ts';

const phrase: typeof startAnewPhrase = 'start anew';

export interface StartAnewDialogProps {
  readonly keyStore: KeyStoreState;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function submitLabel(isBusy: boolean, isReal: boolean): string {
  if (!isBusy) return 'Start anew';
  return isReal ? 'Starting anew…' : 'Waiting for the passphrase window…';
}

function StartAnewForm({ keyStore, onClose }: Omit<StartAnewDialogProps, 'isOpen'>) {
  const { client } = useWorkbench();
  const { isBusy, report, run } = useAttempt();
  const [fields, setFields] = useState(suggestedIdentity);
  const [errors, setErrors] = useState<IdentityErrors>({});
  const [typed, setTyped] = useState('');
  const isTyped = typed === phrase;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const form = readIdentityForm(fields);
    setErrors(form.kind === 'wrong' ? form.errors : {});
    if (form.kind === 'wrong' || !isTyped) return;
    void run('Start anew', () => client.identity.startAnew({ confirmation: phrase, ...form.identity }));
  };
  return (
    <form className="dialog-body" noValidate onSubmit={onSubmit}>
      <IdentityFields fields={fields} errors={errors} isReadOnly={isBusy} onChange={setFields} />
      <Field
        isData
        label={`Type ${phrase} to confirm`}
        value={typed}
        data-testid="gate-phrase"
        onChange={(event) => setTyped(event.target.value)}
      />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant="danger"
          data-testid="gate-start-anew-confirm"
          disabledReason={isBusy ? 'it is under way' : isTyped ? undefined : `Type ${phrase} first`}
        >
          {submitLabel(isBusy, keyStore.keychain.isReal)}
        </Button>
      </DialogActions>
    </form>
  );
}

export function StartAnewDialog({ keyStore, isOpen, onClose }: StartAnewDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      kind="alert"
      title="Set aside this profile’s key store and start anew"
      description="Everything that was sealed for the old keys stays closed, unless their backup or this file is opened again."
      tint="var(--bad-fill)"
      onClose={onClose}
    >
      <StartAnewForm keyStore={keyStore} onClose={onClose} />
    </Dialog>
  );
}
