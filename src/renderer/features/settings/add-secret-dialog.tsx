/** "Add a secret…": a random one, or one that others share, which main asks for in a window of its own. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useWorkbench } from '../../workbench.tsx';

type From = 'random' | 'typed';

const kinds: readonly (readonly [From, string, string])[] = [
  ['random', 'Make a random one', 'For this profile and the peers that it starts: 256 bits that nobody else has.'],
  [
    'typed',
    'Enter one that others share',
    'Asked for in a window of its own. Every machine that is to open these messages adds it under the same id.',
  ],
];

function AddForm({ onClose }: { readonly onClose: () => void }) {
  const { client, notify } = useWorkbench();
  const [from, setFrom] = useState<From>('random');
  const [id, setId] = useState('');
  const { isBusy, report, run } = useAttempt();
  const wanted = id.trim() === '' ? null : id.trim();
  const isIdFit = wanted === null || /^[A-Za-z0-9_-]{1,64}$/.test(wanted);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isIdFit) return;
    let added = '';
    const isDone = await run('Add a secret', async () => {
      added = (await client.settings.addSecret({ id: wanted, from })).id;
    });
    if (!isDone) return;
    notify(`${added} seals what is sent from now on; those before still open.`);
    onClose();
  };
  return (
    <form className="dialog-body" noValidate onSubmit={(event) => void submit(event)}>
      <div role="radiogroup" aria-label="Where it comes from" className="add-secret-kinds">
        {kinds.map(([kind, title, note]) => (
          <label key={kind} className="add-secret-kind">
            <input
              type="radio"
              name="add-secret-from"
              checked={from === kind}
              data-testid={`add-secret-${kind}`}
              onChange={() => setFrom(kind)}
            />
            <span>
              <span>{title}</span>
              <span className="field-note">{note}</span>
            </span>
          </label>
        ))}
      </div>
      <Field
        isData
        label="Id (optional)"
        hint="Key ids name it, and it is never used again. Empty: the next free one."
        error={isIdFit ? undefined : '1–64 of A–Z a–z 0–9 _ -'}
        maxLength={64}
        value={id}
        data-testid="add-secret-id"
        onChange={(event) => setId(event.target.value)}
      />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          data-testid="add-secret-submit"
          disabledReason={isBusy ? (from === 'typed' ? 'it is being asked for' : 'it is being stored') : undefined}
        >
          {from === 'typed' ? 'Enter it…' : 'Add it'}
        </Button>
      </DialogActions>
    </form>
  );
}

export function AddSecretDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Add a workspace secret"
      description="It seals what is sent from then on. Those that are there go on opening what they have sealed."
    >
      <AddForm onClose={onClose} />
    </Dialog>
  );
}
