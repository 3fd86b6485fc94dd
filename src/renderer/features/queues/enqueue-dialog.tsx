/** "Enqueue a task": a command line or JSON into a queue, sealed and signed as the operator; then what became of it. */
import { CircleCheck, Eye } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { isApplePlatform } from '../../actions/key-bindings.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { showQueue } from '../../state/view-store.ts';
import { AreaField } from '../../ui/area-field.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { readOnlyReason } from '../../ui/connection-words.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { useReveal } from '../../ui/use-reveal.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { fieldsOfDraft, lastUsedName } from './enqueue-draft.ts';
import { type EnqueueErrors, type EnqueueFields, emptyFields } from './enqueue-form.ts';
import { enqueueTemplates } from './enqueue-templates.ts';
import { type Enqueued, useEnqueueForm } from './use-enqueue-form.ts';
import { useQueueWork, useQueueWorkState } from './use-queue-work.ts';
import './enqueue-dialog.css';

interface PartProps {
  readonly fields: EnqueueFields;
  readonly errors: EnqueueErrors;
  readonly set: (change: Partial<EnqueueFields>) => void;
}

/** Fields to begin with; the queue stays as it is. */
function Templates({ fields, set }: Pick<PartProps, 'fields' | 'set'>) {
  const last = fieldsOfDraft(useViewState((state) => state.drafts[lastUsedName]));
  return (
    <div className="enqueue-templates" role="group" aria-label="Begin with">
      <span className="field-label">Begin with</span>
      <Button variant="quiet" onClick={() => set({ ...emptyFields, queue: fields.queue })} data-testid="template-none">
        Nothing
      </Button>
      {last !== undefined && (
        <Button
          variant="quiet"
          onClick={() => set({ ...last, queue: fields.queue === '' ? last.queue : fields.queue })}
          data-testid="template-last"
        >
          Last used
        </Button>
      )}
      {enqueueTemplates.map(({ id, title, fields: template }) => (
        <Button key={id} variant="quiet" onClick={() => set(template)} data-testid={`template-${id}`}>
          {title}
        </Button>
      ))}
    </div>
  );
}

function QueueField({ fields, errors, set }: PartProps) {
  const queues = useSnapshot('queues.state')?.queues ?? [];
  const list = useId();
  const isNew = fields.queue.trim() !== '' && !queues.some(({ queue }) => queue === fields.queue.trim());
  return (
    <>
      <Field
        isData
        label="Queue"
        hint={isNew ? 'There is none of that name yet: it is made.' : 'One that is there, or the name of a new one.'}
        list={list}
        value={fields.queue}
        error={errors.queue}
        autoFocus={fields.queue === ''}
        data-testid="enqueue-queue"
        onChange={(event) => set({ queue: event.target.value })}
      />
      <datalist id={list}>
        {queues.map(({ queue }) => (
          <option key={queue} value={queue} />
        ))}
      </datalist>
    </>
  );
}

function WorkField({ fields, errors, set }: PartProps) {
  return (
    <div className="enqueue-work">
      <ChoiceSwitch
        label="The task is"
        testId="enqueue-kind"
        chosen={fields.kind}
        onChoose={(kind) => set({ kind })}
        choices={[
          { id: 'command', title: 'Command line' },
          { id: 'input', title: 'JSON input' },
        ]}
      />
      {fields.kind === 'command' ? (
        <AreaField
          key="command"
          label="Command line"
          hint="Given as one argument to /bin/sh -c on the machine of the worker, so quotes, pipes and $variables work."
          rows={3}
          autoFocus={fields.queue !== ''}
          value={fields.line}
          error={errors.line}
          data-testid="enqueue-line"
          onChange={(event) => set({ line: event.target.value })}
        />
      ) : (
        <AreaField
          key="input"
          label="JSON input"
          hint="Given to the handler of a worker that was started with --exec."
          rows={6}
          value={fields.input}
          error={errors.input}
          data-testid="enqueue-input"
          onChange={(event) => set({ input: event.target.value })}
        />
      )}
    </div>
  );
}

function Limits({ fields, errors, set }: PartProps) {
  return (
    <div className="enqueue-pair">
      <Field
        isData
        inputMode="decimal"
        label="Timeout in seconds (optional)"
        hint="Empty: no limit."
        value={fields.timeoutSeconds}
        error={errors.timeoutSeconds}
        onChange={(event) => set({ timeoutSeconds: event.target.value })}
      />
      <Field
        isData
        inputMode="numeric"
        label="Retries (optional)"
        hint="Empty: as many as its queue allows."
        value={fields.maxRetries}
        error={errors.maxRetries}
        data-testid="enqueue-retries"
        onChange={(event) => set({ maxRetries: event.target.value })}
      />
    </div>
  );
}

const moreNames = ['cwd', 'env', 'approval'] as const;

/** What is seldom given; open where something is given or wrong. */
function More(part: PartProps) {
  const { fields, errors, set } = part;
  const isUsed = moreNames.some((name) => fields[name] !== '' || errors[name] !== undefined);
  const [isOpen, setIsOpen] = useState(isUsed);
  useEffect(() => {
    if (isUsed) setIsOpen(true);
  }, [isUsed]);
  return (
    <details className="enqueue-more" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Approval, folder, environment</summary>
      <div className="enqueue-more-fields">
        <Field
          label="Ask before it runs (optional)"
          hint="What an operator has to approve, in a line. Empty: it runs at once."
          value={fields.approval}
          error={errors.approval}
          maxLength={256}
          data-testid="enqueue-approval"
          onChange={(event) => set({ approval: event.target.value })}
        />
        <Field
          isData
          label="Working folder (optional)"
          hint="Empty: the folder that the worker itself runs in."
          value={fields.cwd}
          error={errors.cwd}
          onChange={(event) => set({ cwd: event.target.value })}
        />
        <AreaField
          label="Environment (optional)"
          hint="NAME=value, one a line. The values are kept in no draft."
          rows={2}
          value={fields.env}
          error={errors.env}
          onChange={(event) => set({ env: event.target.value })}
        />
      </div>
    </details>
  );
}

function Done({
  enqueued,
  onAgain,
  onClose,
}: {
  readonly enqueued: Enqueued;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}) {
  const { view } = useWorkbench();
  const { queue, taskId, seq } = enqueued;
  const watch = useRef<HTMLButtonElement>(null);
  useEffect(() => watch.current?.focus(), []);
  return (
    <div className="dialog-body" data-testid="enqueue-done">
      <p className="enqueue-done" role="status">
        <CircleCheck size={16} className="tone-ok" aria-hidden="true" />
        <span>
          It stands in <span className="data">{visibleText(queue)}</span> at #{formatCount(seq)}, sealed and signed by
          you.
        </span>
      </p>
      <p className="enqueue-done">
        <span className="dim">Task</span>
        <CopyValue name="task id" value={taskId} maxLength={36} />
      </p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button onClick={onAgain} data-testid="enqueue-again">
          Enqueue another
        </Button>
        <Button
          ref={watch}
          variant="primary"
          icon={Eye}
          data-testid="enqueue-watch"
          onClick={() => {
            onClose();
            showQueue(view, queue, taskId);
          }}
        >
          Watch its outcome
        </Button>
      </DialogActions>
    </div>
  );
}

function EnqueueForm({ queue, onClose }: { readonly queue: string | null; readonly onClose: () => void }) {
  const { fields, errors, set, submit, again, isBusy, report, enqueued, form } = useEnqueueForm(queue);
  const part = { fields, errors, set };
  const outcome = useReveal<HTMLDivElement>(report);
  const readOnly = readOnlyReason(useSnapshot('connections.state'));
  const onKeyDown = (event: KeyboardEvent): void => {
    const isMod = isApplePlatform(navigator.userAgent) ? event.metaKey : event.ctrlKey;
    if (event.key !== 'Enter' || !isMod) return;
    event.preventDefault();
    submit();
  };
  if (enqueued !== undefined) return <Done enqueued={enqueued} onAgain={again} onClose={onClose} />;
  return (
    <form ref={form} className="dialog-body" noValidate onSubmit={submit} onKeyDown={onKeyDown}>
      <Templates fields={fields} set={set} />
      <QueueField {...part} />
      <WorkField {...part} />
      <Limits {...part} />
      <More {...part} />
      <div ref={outcome} className="dialog-outcome">
        {report !== undefined && <ErrorNotice report={report} />}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          disabledReason={isBusy ? 'it is being stored' : readOnly}
          data-testid="enqueue-submit"
        >
          <span className="enqueue-submit">
            {isBusy ? 'Enqueuing…' : 'Enqueue'}
            <KeyHint keys="Mod+Enter" />
          </span>
        </Button>
      </DialogActions>
    </form>
  );
}

export function EnqueueDialog() {
  const work = useQueueWork();
  const enqueuing = useQueueWorkState((state) => state.enqueuing);
  const environment = useEnvironment();
  if (enqueuing === undefined) return null;
  return (
    <Dialog
      isOpen
      kind="wide"
      onClose={work.close}
      title={`Enqueue a task in ${environment?.name ?? '…'}`}
      description="One worker of its queue claims and runs it. What you type is kept here until it is enqueued."
      tint={environment?.colour}
    >
      <EnqueueForm queue={enqueuing.queue} onClose={work.close} />
    </Dialog>
  );
}
