/** A form in a dialog: it is sent once, says what went wrong in place, and closes when it was done. */
import type { FormEvent, ReactNode } from 'react';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { type Attempt, useAttempt } from '../../ui/use-attempt.ts';
import { useReveal } from '../../ui/use-reveal.ts';
import { useRoomWork } from './use-room-work.ts';

export interface DialogFormProps {
  readonly title: string;
  readonly description: ReactNode;
  /** Of the button, and of what failed. */
  readonly verb: string;
  readonly variant?: 'primary' | 'danger';
  /** Why it cannot be sent; undefined: it can. */
  readonly why: string | undefined;
  readonly send: () => Promise<unknown>;
  readonly children: ReactNode;
  /** More buttons beside "Cancel". */
  readonly more?: (attempt: Attempt) => ReactNode;
}

export function DialogForm({
  title,
  description,
  verb,
  variant = 'primary',
  why,
  send,
  children,
  more,
}: DialogFormProps) {
  const { close } = useRoomWork();
  const environment = useEnvironment();
  const attempt = useAttempt();
  const outcome = useReveal<HTMLDivElement>(attempt.report);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (why === undefined) void attempt.run(verb, send).then((isDone) => isDone && close());
  };
  return (
    <Dialog isOpen title={title} description={description} tint={environment?.colour} onClose={close}>
      <form className="dialog-body" noValidate onSubmit={submit}>
        {children}
        <div ref={outcome} className="dialog-outcome">
          {attempt.report !== undefined && <ErrorNotice report={attempt.report} />}
        </div>
        <DialogActions>
          {more?.(attempt)}
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            variant={variant}
            disabledReason={attempt.isBusy ? 'it is under way' : why}
            data-testid="room-dialog-submit"
          >
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
