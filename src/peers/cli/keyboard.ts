/** A person's terminal: keys come from the one, text goes to the other. */
import type { Readable, Writable } from 'node:stream';

export interface Keyboard {
  readonly input: Readable;
  readonly output: Writable;
}
