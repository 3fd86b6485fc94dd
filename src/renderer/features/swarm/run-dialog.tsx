/** "Run a command…": gives a command line to a worker of the local swarm and shows its session. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { Button } from '../../ui/button.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { describeError, type ErrorReport } from '../../ui/describe-error.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { type RunErrors, type RunFields, readRunForm } from './run-form.ts';

const empty: RunFields = { line: '', cwd: '', timeoutSeconds: '' };

/** One attempt at a time; leaving the dialog cancels it. */
function useRun(onDone: () => void) {
  const { client, view, notify } = useWorkbench();
  const [isRunning, setIsRunning] = useState(false);
  const [report, setReport] = useState<ErrorReport | undefined>();
  const attempt = useRef<AbortController | null>(null);
  useEffect(() => () => attempt.current?.abort(), []);
  const run = async (task: Parameters<typeof client.swarm.run>[0]): Promise<void> => {
    const controller = new AbortController();
    attempt.current = controller;
    setIsRunning(true);
    setReport(undefined);
    try {
      const { peer, session } = await client.swarm.run(task, { signal: controller.signal });
      view.setState({ view: 'streams', selectedSession: session });
      notify(`${peer} runs it in session ${session}.`);
      onDone();
    } catch (error) {
      if (!isVakError(error, 'aborted')) setReport(describeError('Run a command', error));
      setIsRunning(false);
    }
  };
  return { run, isRunning, report };
}

function RunForm({ onClose }: { readonly onClose: () => void }) {
  const [fields, setFields] = useState(empty);
  const [errors, setErrors] = useState<RunErrors>({});
  const { run, isRunning, report } = useRun(onClose);
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  const set = (name: keyof RunFields) => (event: { readonly target: { readonly value: string } }) => {
    setFields({ ...fields, [name]: event.target.value });
    setErrors({ ...errors, [name]: undefined });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning || readOnly !== undefined) return;
    const form = readRunForm(fields);
    setErrors(form.kind === 'wrong' ? form.errors : {});
    if (form.kind === 'ready') void run(form.task);
  };
  return (
    <form className="dialog-body" noValidate onSubmit={onSubmit}>
      <Field
        autoFocus
        isData
        label="Command line"
        hint="Given as one argument to /bin/sh -c, so quotes, pipes and $variables work."
        value={fields.line}
        error={errors.line}
        onChange={set('line')}
      />
      <Field
        isData
        label="Working folder (optional)"
        hint="Empty: the folder that the worker itself runs in."
        value={fields.cwd}
        error={errors.cwd}
        onChange={set('cwd')}
      />
      <Field
        isData
        inputMode="decimal"
        label="Timeout in seconds (optional)"
        hint="Then the command and all that it started is ended. Empty: no limit."
        value={fields.timeoutSeconds}
        error={errors.timeoutSeconds}
        onChange={set('timeoutSeconds')}
      />
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabledReason={isRunning ? 'a worker is taking it' : readOnly}>
          {isRunning ? 'Starting…' : 'Run'}
        </Button>
      </DialogActions>
    </form>
  );
}

export function RunDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Run a command"
      description="A worker of the local swarm runs it on this machine, as you, with your rights."
    >
      <RunForm onClose={onClose} />
    </Dialog>
  );
}
