/** The form of the secret-entry window: what is asked, the field or two, what can be said of them, the buttons. */
import { ArrowBigUpDash, Eye, EyeOff } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react';
import type { EntryBridge, EntryQuestion } from '../../shared/contract/secret-entry-contract.ts';
import { Button } from '../ui/button.tsx';
import { type EntryState, useEntry } from './entry-state.ts';

interface PartProps {
  readonly question: EntryQuestion;
  readonly entry: EntryState;
  readonly isShown: boolean;
}

/** Enter sends, or goes to what is missing; Shift+Enter begins a line where there may be several. */
function sendOnEnter(event: KeyboardEvent, submit: () => void): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  submit();
}

function FirstField({ question, entry, isShown }: PartProps) {
  const common = {
    id: 'entry-first',
    autoFocus: true,
    autoComplete: 'off',
    spellCheck: false,
    'aria-invalid': entry.refusal !== undefined || undefined,
    'aria-describedby': 'entry-remark',
    'data-testid': 'entry-field',
    readOnly: entry.isBusy,
    onInput: entry.look,
    onKeyDown: (event: KeyboardEvent) => sendOnEnter(event, entry.submit),
  } as const;
  return (
    <div className="entry-field">
      <label className="field-label" htmlFor="entry-first">
        {question.label}
      </label>
      {question.kind === 'secret' ? (
        <textarea
          {...common}
          ref={(field) => {
            entry.first.current = field;
          }}
          wrap="soft"
          className={`field-input data entry-lines${isShown ? '' : ' entry-masked'}`}
        />
      ) : (
        <input
          {...common}
          ref={(field) => {
            entry.first.current = field;
          }}
          type={isShown ? 'text' : 'password'}
          className="field-input data"
        />
      )}
    </div>
  );
}

function SecondField({ entry, isShown }: Omit<PartProps, 'question'>) {
  return (
    <div className="entry-field">
      <label className="field-label" htmlFor="entry-second">
        The same again
      </label>
      <input
        id="entry-second"
        ref={entry.second}
        type={isShown ? 'text' : 'password'}
        className="field-input data"
        autoComplete="off"
        spellCheck={false}
        readOnly={entry.isBusy}
        aria-invalid={entry.check.isMismatch || undefined}
        aria-describedby="entry-match"
        data-testid="entry-repeat"
        onInput={entry.look}
        onKeyDown={(event) => sendOnEnter(event, entry.submit)}
      />
      <p id="entry-match" className="entry-note entry-bad" aria-live="polite">
        {entry.check.isMismatch ? 'The two differ.' : ''}
      </p>
    </div>
  );
}

/** Whether Caps Lock is on, as far as the keys pressed here told. */
function useCapsLock(): boolean {
  const [isOn, setIsOn] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => setIsOn(event.getModifierState('CapsLock'));
    window.addEventListener('keydown', onKey);
    window.addEventListener('keyup', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.removeEventListener('keyup', onKey);
    };
  }, []);
  return isOn;
}

function CapsLockHint() {
  const isOn = useCapsLock();
  return (
    <span className="entry-caps" aria-live="polite" data-testid="entry-caps">
      {isOn && (
        <>
          <ArrowBigUpDash size={14} aria-hidden="true" />
          Caps Lock is on
        </>
      )}
    </span>
  );
}

function ShowToggle({ isShown, onToggle }: { readonly isShown: boolean; readonly onToggle: () => void }) {
  return (
    <Button variant="quiet" icon={isShown ? EyeOff : Eye} data-testid="entry-show" onClick={onToggle}>
      {isShown ? 'Hide' : 'Show'}
    </Button>
  );
}

export interface EntryFormProps {
  readonly question: EntryQuestion;
  readonly bridge: EntryBridge;
}

export function EntryForm({ question, bridge }: EntryFormProps) {
  const entry = useEntry(question, bridge);
  const [isShown, setIsShown] = useState(false);
  const lines = 'Enter sends it, Shift+Enter begins a line.';
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    entry.submit();
  };
  return (
    <main className="entry-window">
      <form className="entry" noValidate onSubmit={onSubmit} data-testid="entry">
        <header>
          <h1 className="entry-title">{question.title}</h1>
          <p className="entry-hint">{question.hint}</p>
        </header>
        <div className="entry-fields">
          <FirstField question={question} entry={entry} isShown={isShown} />
          <p id="entry-remark" className="entry-note" aria-live="polite">
            {question.kind === 'secret' ? lines : entry.check.remark}
          </p>
          {question.kind === 'new-passphrase' && <SecondField entry={entry} isShown={isShown} />}
          <div className="entry-view">
            <ShowToggle isShown={isShown} onToggle={() => setIsShown(!isShown)} />
            <CapsLockHint />
          </div>
        </div>
        <p className="entry-refusal" role="alert" data-testid="entry-refusal">
          {entry.refusal}
        </p>
        <footer className="dialog-actions">
          <Button data-testid="entry-cancel" onClick={bridge.cancel}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="primary"
            data-testid="entry-submit"
            disabledReason={entry.isBusy ? 'it is being tried' : entry.check.lacks}
          >
            {entry.isBusy ? 'Working…' : question.action}
          </Button>
        </footer>
      </form>
    </main>
  );
}
