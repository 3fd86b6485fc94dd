/** The fields of "Enqueue a task", what is wrong with them, and the way to the engine; what is typed survives a restart. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { draftName, draftOf, fieldsOfDraft, lastUsedName } from './enqueue-draft.ts';
import { type EnqueueErrors, type EnqueueFields, emptyFields, errorAtField, readEnqueueForm } from './enqueue-form.ts';

/** What was enqueued. */
export interface Enqueued {
  readonly queue: string;
  readonly taskId: string;
  readonly leaf: string;
  readonly seq: number;
}

function keepDraft(view: Workbench['view'], name: string, text: string): void {
  const { [name]: _former, ...others } = view.getState().drafts;
  view.setState({ drafts: text === '' ? others : { ...others, [name]: text } });
}

/** Leads to the first field that is wrong, each time that the form was refused. */
function useWrongFieldFocus(refusedCount: number) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusedCount > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusedCount]);
  return form;
}

export function useEnqueueForm(queue: string | null) {
  const { client, view } = useWorkbench();
  const [fields, setFields] = useState<EnqueueFields>(() => {
    const draft = fieldsOfDraft(view.getState().drafts[draftName]) ?? emptyFields;
    // What was typed for one queue does not go to another one that happens to be selected.
    return draft.queue === '' && queue !== null ? { ...draft, queue } : draft;
  });
  const [errors, setErrors] = useState<EnqueueErrors>({});
  const [refusedCount, setRefusedCount] = useState(0);
  const [enqueued, setEnqueued] = useState<Enqueued | undefined>();
  const { isBusy, report, run, clear } = useAttempt();
  const form = useWrongFieldFocus(refusedCount);
  const refuse = (wrong: EnqueueErrors): void => {
    setErrors(wrong);
    setRefusedCount((count) => count + 1);
  };
  const set = (change: Partial<EnqueueFields>): void => {
    const next = { ...fields, ...change };
    setFields(next);
    keepDraft(view, draftName, draftOf(next));
    setErrors({ ...errors, ...Object.fromEntries(Object.keys(change).map((name) => [name, undefined])) });
    clear();
  };
  const send = async (task: Parameters<typeof client.queues.enqueue>[0]): Promise<void> => {
    try {
      const stored = await client.queues.enqueue(task);
      keepDraft(view, lastUsedName, draftOf(fields));
      keepDraft(view, draftName, '');
      setEnqueued({ queue: task.queue, ...stored });
    } catch (error) {
      const atField = errorAtField(error, fields.kind);
      if (atField === undefined) throw error;
      refuse(atField);
    }
  };
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (isBusy) return;
    const read = readEnqueueForm(fields);
    if (read.kind === 'wrong') refuse(read.errors);
    else {
      setErrors({});
      void run('Enqueue a task', () => send({ queue: read.queue, task: read.task }));
    }
  };
  /** Another one for the same queue. */
  const again = (): void => {
    setFields({ ...emptyFields, queue: fields.queue, kind: fields.kind });
    setEnqueued(undefined);
  };
  return { fields, errors, set, submit, again, isBusy, report, enqueued, form };
}
