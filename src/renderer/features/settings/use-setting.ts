/** Writes one setting: busy while main has it, and why it was refused, in place. */
import { useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { useWorkbench } from '../../workbench.tsx';
import { withoutKey } from './setting-catalog.ts';

type Value = SettingValue['value'];

export interface SettingWriter {
  /** What to show: the choice that is on its way, else what the settings say. */
  readonly shown: Value;
  readonly isSaving: boolean;
  /** Why the last value was not taken. */
  readonly problem: string | undefined;
  readonly set: (value: string | number | boolean) => void;
  readonly reset: () => void;
  /** Says what is wrong before main is asked; undefined: nothing any more. */
  readonly mark: (problem: string | undefined) => void;
}

function words(key: string, error: unknown): string {
  const { why: reason, next } = describeError('', error);
  const why = withoutKey(key, reason);
  // A value that is refused says what is allowed; anything else needs its next step beside it.
  return isVakError(error, 'invalid-input') ? why : `${why}. ${next}`;
}

/** `saved`: what the settings say now. */
export function useSetting(key: string, saved: Value): SettingWriter {
  const { client } = useWorkbench();
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  // It stands until the settings say something else than when it was chosen.
  const [choice, setChoice] = useState<{ readonly value: Value; readonly over: Value } | undefined>();
  const run = async (call: () => Promise<void>): Promise<void> => {
    setIsSaving(true);
    setProblem(undefined);
    try {
      await call();
    } catch (error) {
      setProblem(words(key, error));
      setChoice(undefined);
    }
    setIsSaving(false);
  };
  return {
    shown: choice !== undefined && choice.over === saved ? choice.value : saved,
    isSaving,
    problem,
    set: (value) => {
      setChoice({ value, over: saved });
      void run(() => client.settings.set({ key, value }));
    },
    reset: () => void run(() => client.settings.reset({ key })),
    mark: setProblem,
  };
}
