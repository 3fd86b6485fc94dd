/**
 * A wrapper around bytes that must never be shown (protocol.md I3, architecture.md §6).
 * Law: its text, JSON and inspect forms redact; the bytes are reached by `reveal` alone, and are zeroed when it is disposed.
 */
import { inspect } from 'node:util';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';

const redacted = '[secret]';

/** Bytes that nothing prints. */
export interface Secret extends Disposable {
  /** The bytes themselves, not a copy: do not keep or change them. Throws `locked` once disposed. */
  reveal(): Uint8Array;
  readonly length: number;
  toString(): string;
  toJSON(): string;
}

/** Takes ownership of the bytes: the caller must not use them afterwards. */
export function createSecret(bytes: Uint8Array): Secret {
  let held: Uint8Array | undefined = bytes;
  const secret: Secret & Record<symbol, () => string> = {
    reveal() {
      if (held === undefined) throw new VakError('locked', 'a secret was used after it had been erased');
      return held;
    },
    get length() {
      return held?.length ?? 0;
    },
    dispose() {
      held?.fill(0);
      held = undefined;
    },
    toString: () => redacted,
    toJSON: () => redacted,
    [Symbol.toPrimitive]: () => redacted,
    [inspect.custom]: () => redacted,
  };
  return Object.freeze(secret);
}

/** A secret of a text's UTF-8 bytes. The text itself stays in memory until it is collected: prefer bytes. */
export function secretFromText(text: string): Secret {
  return createSecret(utf8(text));
}
