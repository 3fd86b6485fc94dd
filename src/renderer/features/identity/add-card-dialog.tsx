/** "Add the card of a peer": pasted, or from a file; verified, then pinned. */
import { FolderOpen } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { AreaField } from '../../ui/area-field.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

function CardForm() {
  const work = useAccessWork();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const { isBusy, report, run, clear } = useAttempt();
  const busy = isBusy ? 'it is being checked' : undefined;
  /** What is wrong with the card stands at its field. */
  const atField = async (add: () => Promise<void>): Promise<void> => {
    try {
      await add();
    } catch (wrong) {
      if (!isVakError(wrong, 'invalid-input')) throw wrong;
      setError(wrong.message);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') setError('Paste the card, or choose its file');
    else void run('Add the card', () => atField(() => work.addCard(text)));
  };
  return (
    <form className="dialog-body" noValidate onSubmit={submit}>
      <AreaField
        label="Card"
        hint="One line of JSON: what the peer copies from this page of its own, or vak id card prints where it is."
        rows={5}
        value={text}
        error={error}
        autoFocus
        maxLength={16_384}
        data-testid="card-text"
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
          clear();
        }}
      />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button
          icon={FolderOpen}
          disabledReason={busy}
          onClick={() => void run('Add the card', () => atField(work.addCardFile))}
        >
          From a file…
        </Button>
        <Button onClick={work.close}>Cancel</Button>
        <Button type="submit" variant="primary" data-testid="card-add" disabledReason={busy}>
          Add
        </Button>
      </DialogActions>
    </form>
  );
}

export function AddCardDialog() {
  const work = useAccessWork();
  const isOpen = useAccessWorkState((state) => state.isAddingCard);
  if (!isOpen) return null;
  return (
    <Dialog
      isOpen
      kind="wide"
      title="Add the card of a peer"
      description="A card names the keys of a peer and is signed by it; nothing in it is secret. Its signing key is pinned at first sight."
      onClose={work.close}
    >
      <CardForm />
    </Dialog>
  );
}
