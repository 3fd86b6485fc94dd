/** Writes one setting: busy while main has it, and why it was refused, in place. */
import { useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { describeError } from '../../ui/describe-error.ts';
import { useWorkbench } from '../../workbench.tsx';

export interface SettingWriter {
  readonly isSaving: boolean;
  /** Why the last value was not taken. */
  readonly problem: string | undefined;
  readonly set: (value: string | number | boolean) => void;
  readonly reset: () => void;
  /** Says what is wrong before main is asked; undefined: nothing any more. */
  readonly mark: (problem: string | undefined) => void;
}

function words(error: unknown): string {
  const { why, next } = describeError('', error);
  // A value that is refused says what is allowed; anything else needs its next step beside it.
  return isVakError(error, 'invalid-input') ? why : `${why}. ${next}`;
}

export function useSetting(key: string): SettingWriter {
  const { client } = useWorkbench();
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const run = async (call: () => Promise<void>): Promise<void> => {
    setIsSaving(true);
    setProblem(undefined);
    try {
      await call();
    } catch (error) {
      setProblem(words(error));
    }
    setIsSaving(false);
  };
  return {
    isSaving,
    problem,
    set: (value) => void run(() => client.settings.set({ key, value })),
    reset: () => void run(() => client.settings.reset({ key })),
    mark: setProblem,
  };
}
