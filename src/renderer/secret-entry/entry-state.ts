/**
 * What the page knows of the fields.
 * Law: a secret stands in its field and nowhere else; React is told only what can be said of it.
 */
import { type RefObject, useRef, useState } from 'react';
import type { EntryBridge, EntryQuestion } from '../../shared/contract/secret-entry-contract.ts';
import { checkEntry, type EntryCheck, isSameCheck } from './entry-check.ts';

type EntryField = HTMLInputElement | HTMLTextAreaElement;

export interface EntryState {
  readonly check: EntryCheck;
  readonly isBusy: boolean;
  /** Why it was not taken. */
  readonly refusal: string | undefined;
  readonly first: RefObject<EntryField | null>;
  readonly second: RefObject<HTMLInputElement | null>;
  /** After each change of a field. */
  readonly look: () => void;
  readonly submit: () => void;
}

function clearFields(...fields: (EntryField | null)[]): void {
  for (const field of fields) if (field !== null) field.value = '';
}

async function ask(bridge: EntryBridge, text: string): Promise<string | undefined> {
  try {
    return (await bridge.submit(text)) ?? undefined;
  } catch {
    // The text of a failed call may quote what it was called with.
    return 'The app did not answer. Cancel, and begin again.';
  }
}

export function useEntry(question: EntryQuestion, bridge: EntryBridge): EntryState {
  const first = useRef<EntryField>(null);
  const second = useRef<HTMLInputElement>(null);
  const [check, setCheck] = useState(() => checkEntry(question.kind, '', ''));
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | undefined>();
  const read = (): EntryCheck => checkEntry(question.kind, first.current?.value ?? '', second.current?.value ?? '');
  const look = (): void => {
    const next = read();
    setCheck((known) => (isSameCheck(known, next) ? known : next));
  };
  const send = async (): Promise<void> => {
    setIsBusy(true);
    const refused = await ask(bridge, first.current?.value ?? '');
    if (refused === undefined) {
      clearFields(first.current, second.current);
      return;
    }
    setIsBusy(false);
    setRefusal(refused);
    first.current?.select();
    first.current?.focus();
  };
  const submit = (): void => {
    const { lacks, lacksIn } = read();
    if (isBusy) return;
    if (lacks === undefined) void send();
    else (lacksIn === 'first' ? first : second).current?.focus();
  };
  return { check, isBusy, refusal, first, second, look, submit };
}
