/**
 * How the engine asks the person at the machine for what must not pass through a window's bridge.
 * Law: what is typed reaches the attempt as a Secret and nothing else; a refused attempt may be tried again.
 */
import type { Secret } from '../identity/secret.ts';

/** What to ask. */
export interface SecretQuestion {
  /** Verb first: "Unlock the key store". */
  readonly title: string;
  /** One or two sentences: what it is for. */
  readonly hint: string;
  /** Label of the field. */
  readonly label: string;
  /** `new-passphrase`: typed twice, at least 10 characters. `secret`: may have several lines. */
  readonly kind: 'passphrase' | 'new-passphrase' | 'secret';
  /** Label of the button that does it. */
  readonly action: string;
}

export interface OperatorPrompt {
  /**
   * Asks until `attempt` succeeds; what `attempt` throws as a VakError is shown, and the question stands.
   * Throws `aborted` when the person closes it.
   */
  askSecret(question: SecretQuestion, attempt: (secret: Secret) => Promise<void>): Promise<void>;
  /** Path of a new file to write; throws `aborted`. */
  chooseSaveFile(options: { readonly title: string; readonly defaultName: string }): Promise<string>;
  /** Path of a file to read; throws `aborted`. With `linkId` nobody is asked: it is the file that waits so, or `conflict` (links-service.ts). */
  chooseOpenFile(options: { readonly title: string; readonly linkId?: number | undefined }): Promise<string>;
  /** Paths of files to read, one at least; throws `aborted`. */
  chooseOpenFiles(options: { readonly title: string }): Promise<readonly string[]>;
}
