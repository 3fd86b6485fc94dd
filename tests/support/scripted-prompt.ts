/** An operator whose answers a test has written down, in their order. */
import { type Secret, secretFromText } from '../../src/engine/identity/secret.ts';
import type { OperatorPrompt, SecretQuestion } from '../../src/engine/ports/operator-prompt.ts';
import { isVakError, VakError } from '../../src/shared/base/vak-error.ts';

/** The operator closes the window. */
export const closesIt: unique symbol = Symbol('closes it');
export type Answer = string | typeof closesIt;

export interface ScriptedPrompt extends OperatorPrompt {
  /** What is typed, chosen or closed next; several files are lines of one answer. */
  answer(...answers: readonly Answer[]): void;
  /** Everything that was asked, by its title. */
  readonly asked: readonly string[];
  readonly kinds: readonly SecretQuestion['kind'][];
  /** Texts of what was refused, as they were shown. */
  readonly shown: readonly VakError[];
  /** Every secret that was handed to an attempt. */
  readonly given: readonly Secret[];
  /** Answers that nobody asked for. */
  readonly left: number;
}

/** Creates an operator without answers: being asked is a failure of the test then. */
export function createScriptedPrompt(): ScriptedPrompt {
  const answers: Answer[] = [];
  const asked: string[] = [];
  const kinds: SecretQuestion['kind'][] = [];
  const shown: VakError[] = [];
  const given: Secret[] = [];

  function next(title: string): string {
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nothing was to be asked, and it asked: ${title}`);
    if (answer === closesIt) throw new VakError('aborted', `${title}: closed`);
    return answer;
  }

  async function choose({ title }: { readonly title: string }): Promise<string> {
    asked.push(title);
    return next(title);
  }

  return {
    asked,
    kinds,
    shown,
    given,
    get left() {
      return answers.length;
    },
    answer: (...more) => void answers.push(...more),
    async askSecret({ title, kind }, attempt) {
      asked.push(title);
      kinds.push(kind);
      for (;;) {
        const secret = secretFromText(next(title));
        given.push(secret);
        try {
          return await attempt(secret);
        } catch (error) {
          if (!isVakError(error)) throw error;
          shown.push(error);
        } finally {
          secret.dispose();
        }
      }
    },
    chooseSaveFile: choose,
    chooseOpenFile: choose,
    chooseOpenFiles: async (options) => (await choose(options)).split('\n'),
  };
}
