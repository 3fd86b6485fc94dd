/** Goes to a time or a sequence in the table: one field, which says what is wrong with what was typed. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { jumpForms, nextInstead, nothingFrom, readJump, whyNoSeq } from './jump-place.ts';
import type { TableModel } from './table-model.ts';

interface JumpFormProps {
  readonly model: TableModel;
  readonly onClose: () => void;
}

function JumpForm({ model, onClose }: JumpFormProps) {
  const { notify } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | undefined>();
  const { isBusy, report, run } = useAttempt();
  const range = model.range();
  const go = async (): Promise<void> => {
    const place = readJump(text, Date.now());
    if (typeof place === 'string') return setFault(place);
    const whyNot = place.kind === 'from' ? whyNoSeq(place.seq, model.range(), model.kind) : undefined;
    if (whyNot !== undefined) return setFault(whyNot);
    await run('Go there', async () => {
      const found = await model.jump(place);
      if (found === undefined) return setFault(nothingFrom(place, zone));
      const instead = nextInstead(place, found);
      if (instead !== undefined) notify(instead);
      onClose();
    });
  };
  return (
    <form
      className="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <Field
        label="Time or sequence"
        isData
        autoFocus
        value={text}
        hint={jumpForms}
        error={fault}
        onChange={(event) => {
          setText(event.target.value);
          setFault(undefined);
        }}
        data-testid="jump-field"
      />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        {range !== undefined && (
          <span className="dim streams-dialog-note">
            {`holds #${formatCount(range.firstSeq)} to #${formatCount(range.lastSeq)}`}
          </span>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          disabledReason={isBusy ? 'it is being looked for' : undefined}
          data-testid="jump-go"
        >
          Go
        </Button>
      </DialogActions>
    </form>
  );
}

export function JumpDialog({ isOpen, ...form }: JumpFormProps & { readonly isOpen: boolean }) {
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} title="Go to a time or a sequence">
      <JumpForm {...form} />
    </Dialog>
  );
}
