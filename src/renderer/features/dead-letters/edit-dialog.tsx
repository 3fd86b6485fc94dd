/** Edit & retry: the opened payload as JSON, text or bytes, what was changed, and the headers that are the engine's own. */
import { type FormEvent, type KeyboardEvent, useMemo, useState } from 'react';
import { isApplePlatform } from '../../actions/key-bindings.ts';
import { AreaField } from '../../ui/area-field.tsx';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { KeyHint } from '../../ui/key-hint.tsx';
import { type DiffLine, lineDiff } from '../../ui/line-diff.ts';
import { useReveal } from '../../ui/use-reveal.ts';
import { LetterAttributes } from './letter-task.tsx';
import type { Asking } from './letter-work.ts';
import { bytesOf, comparedLines, type EditMode, modesOf, textOf } from './payload-edit.ts';
import { ReasonField } from './plan-facts.tsx';
import { queueFault } from './retry-dialog.tsx';
import { useLetterWork, useLetterWorkState } from './use-letter-work.ts';
import { usePlanForm } from './use-plan-form.ts';

const oneRetried = { action: 'retry', count: 1 } as const;

type EditAsking = Asking & { readonly kind: 'edit' };

const modeTitles: Readonly<Record<EditMode, string>> = { json: 'JSON', text: 'Text', hex: 'Bytes' };
const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' };

/** Undefined: what is written cannot be read, and so not be compared. */
function Diff({ lines }: { readonly lines: readonly DiffLine[] | undefined }) {
  if (lines === undefined || lines.length === 0)
    return (
      <p className="dim" data-testid="edit-same">
        {lines === undefined ? 'It is compared again once it can be read.' : 'Nothing is changed yet.'}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys.
    <div className="edit-diff data" role="region" aria-label="What is changed" tabIndex={0} data-testid="edit-diff">
      {lines.map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison are drawn once.
        <div key={at} className={`edit-line-${kind}`}>
          <span className="edit-sign">{signs[kind]}</span>
          <span>{text}</span>
        </div>
      ))}
    </div>
  );
}

/** The text as it is edited; what it says in bytes goes into the draft, which is in memory only. */
function useEditing({ letter, bytes: original }: EditAsking) {
  const work = useLetterWork();
  const draft = useLetterWorkState((state) => state.drafts.get(letter.seq));
  const [begun] = useState(draft ?? original);
  const [mode, setMode] = useState<EditMode>(() => modesOf(begun)[0] ?? 'hex');
  const [text, setText] = useState(() => textOf(begun, mode));
  const edited = useMemo(() => bytesOf(text, mode), [text, mode]);
  const bytes = 'bytes' in edited ? edited.bytes : undefined;
  const before = useMemo(() => comparedLines(original), [original]);
  const diff = useMemo(
    () => (bytes === undefined ? undefined : lineDiff(before, comparedLines(bytes))),
    [before, bytes],
  );
  const onText = (next: string): void => {
    setText(next);
    const read = bytesOf(next, mode);
    if ('bytes' in read) work.keepDraft(letter.seq, read.bytes);
  };
  const onMode = (next: EditMode): void => {
    if (bytes === undefined) return;
    setMode(next);
    setText(textOf(bytes, next));
  };
  const onReset = (): void => {
    work.keepDraft(letter.seq, undefined);
    setText(textOf(original, mode));
  };
  return { mode, text, edited, bytes, diff, onText, onMode, onReset };
}

interface EditorProps {
  readonly editing: ReturnType<typeof useEditing>;
  readonly fault: string | undefined;
}

function PayloadEditor({ editing, fault }: EditorProps) {
  const { mode, text, bytes, diff } = editing;
  const modes = bytes === undefined ? [mode] : modesOf(bytes);
  return (
    <>
      <div className="edit-modes">
        <ChoiceSwitch<EditMode>
          label="Edit as"
          testId="edit-mode"
          chosen={mode}
          onChoose={editing.onMode}
          choices={(['json', 'text', 'hex'] as const).map((id) => ({
            ...{ id, title: modeTitles[id] },
            disabledReason: modes.includes(id) ? undefined : `It is no ${modeTitles[id]}`,
          }))}
        />
        <span className="dim">{bytes === undefined ? '' : formatBytes(bytes.length)}</span>
        <Button variant="quiet" onClick={editing.onReset}>
          As it was
        </Button>
      </div>
      <AreaField
        autoFocus
        label="Payload"
        error={fault}
        rows={12}
        value={text}
        data-testid="edit-text"
        onChange={(event) => editing.onText(event.target.value)}
      />
      <Diff lines={diff} />
    </>
  );
}

function EditForm({ asking }: { readonly asking: EditAsking }) {
  const work = useLetterWork();
  const { letter } = asking;
  const editing = useEditing(asking);
  const { edited, bytes, diff } = editing;
  const { attempt, reason, setReason, disabledReason: why } = usePlanForm(oneRetried, '');
  const [queue, setQueue] = useState('');
  const outcome = useReveal<HTMLDivElement>(attempt.report);
  const same = diff?.length === 0 && queue.trim() === '' ? 'nothing is changed: retry it instead' : undefined;
  const fault = 'fault' in edited ? edited.fault : undefined;
  const disabledReason = why ?? fault ?? queueFault(queue) ?? same;
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (disabledReason !== undefined || bytes === undefined) return;
    void attempt.run('Edit & retry', () => work.sendEdited({ bytes, queue, reason }));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isMod = isApplePlatform(navigator.userAgent) ? event.metaKey : event.ctrlKey;
    if (event.key === 'Enter' && isMod) submit(event);
  };
  return (
    <form className="dialog-body" noValidate onSubmit={submit} onKeyDown={onKeyDown}>
      <PayloadEditor editing={editing} fault={fault} />
      <Field
        isData
        label="Another queue (optional)"
        hint={`Empty: ${letter.queue}, where it came from.`}
        error={queueFault(queue)}
        value={queue}
        onChange={(event) => setQueue(event.target.value)}
      />
      <ReasonField value={reason} onChange={setReason} />
      <details className="edit-locked">
        <summary>Headers are not edited: lineage, trace and ids are the engine’s</summary>
        <LetterAttributes attributes={letter.attributes} />
      </details>
      <div ref={outcome} className="dialog-outcome">
        {attempt.report !== undefined && <ErrorNotice report={attempt.report} />}
      </div>
      <DialogActions>
        <Button onClick={work.close}>Cancel</Button>
        <Button type="submit" variant="primary" disabledReason={disabledReason} data-testid="edit-submit">
          <span className="edit-submit">
            {attempt.isBusy ? 'Sealing…' : 'Seal & retry'}
            <KeyHint keys="Mod+Enter" />
          </span>
        </Button>
      </DialogActions>
    </form>
  );
}

export function EditDialog({ asking }: { readonly asking: EditAsking }) {
  const work = useLetterWork();
  const { environment } = usePlanForm(oneRetried, '');
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`Edit & retry letter ${formatCount(asking.letter.seq)} in ${environment?.name ?? '…'}`}
      description="A new task with what you write, sealed under a present key and signed by you; the letter stays, and both name each other. What you type is kept in memory only."
      tint={environment?.colour}
      onClose={work.close}
    >
      <EditForm asking={asking} />
    </Dialog>
  );
}
