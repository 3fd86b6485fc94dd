/** What a person or a pipe gives on stdin: a secret, without an echo. */

import { createSecret, type Secret } from '../../engine/identity/secret.ts';
import { maxSecretBytes, toTrimmedSecret } from '../../engine/settings/secret-file.ts';
import { VakError } from '../../shared/base/vak-error.ts';

/** stdin, by the little that is used of it. */
export interface TerminalInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'error', listener: () => void): unknown;
  off(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  off(event: 'end' | 'error', listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks on stderr and reads one line without showing it. Throws `aborted`, `limit-exceeded`. */
  ask(label: string): Promise<Secret>;
  /** Reads a pipe to its end; one line break at the end is cut off. Throws `aborted`, `invalid-input`, `limit-exceeded`. */
  readAll(field: string): Promise<Secret>;
}

export interface TerminalOptions {
  readonly input: TerminalInput;
  /** Where questions are shown. */
  readonly show: (text: string) => void;
  readonly signal: AbortSignal;
  /** Throws if there is nothing that could be read. */
  readonly checkInput?: () => void;
}

const keys = { enter: 0x0d, newline: 0x0a, interrupt: 0x03, end: 0x04, backspace: 0x7f, backspace2: 0x08, clear: 0x15 };

function aborted(): VakError {
  return new VakError('aborted', 'interrupted');
}

/** A line as it is typed; bytes are erased when they are taken back. */
function createLine(label: string) {
  const room = new Uint8Array(maxSecretBytes);
  let length = 0;
  return {
    take(byte: number): void {
      if (length === room.length) throw new VakError('limit-exceeded', `${label}: more than ${maxSecretBytes} bytes`);
      room[length++] = byte;
    },
    /** Takes one character back, however many bytes of UTF-8 it has. */
    back(): void {
      let isContinued = length > 0;
      while (isContinued) {
        const byte = room[--length] as number;
        room[length] = 0;
        isContinued = length > 0 && (byte & 0xc0) === 0x80;
      }
    },
    clear(): void {
      room.fill(0);
      length = 0;
    },
    get length() {
      return length;
    },
    toSecret(): Secret {
      const bytes = room.slice(0, length);
      room.fill(0);
      return createSecret(bytes);
    },
  };
}

type Line = ReturnType<typeof createLine>;

/** What a key does; `done` ends the line. */
function press(byte: number, line: Line): 'done' | undefined {
  if (byte === keys.enter || byte === keys.newline) return 'done';
  if (byte === keys.interrupt || (byte === keys.end && line.length === 0)) throw aborted();
  if (byte === keys.end) return 'done';
  if (byte === keys.backspace || byte === keys.backspace2) line.back();
  else if (byte === keys.clear) line.clear();
  else line.take(byte);
  return undefined;
}

/** Feeds chunks of the input to `take` until it says that it has enough, the input ends, or the signal aborts. */
function consume({ input, signal }: TerminalOptions, take: (chunk: Uint8Array) => boolean): Promise<'enough' | 'end'> {
  return new Promise((resolve, reject) => {
    const settle = (how: () => void): void => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.off('error', onEnd);
      signal.removeEventListener('abort', onAbort);
      input.pause();
      how();
    };
    const onData = (chunk: Uint8Array): void => {
      try {
        if (take(chunk)) settle(() => resolve('enough'));
      } catch (error) {
        settle(() => reject(error as Error));
      } finally {
        chunk.fill(0);
      }
    };
    const onEnd = (): void => settle(() => resolve('end'));
    const onAbort = (): void => settle(() => reject(aborted()));
    if (signal.aborted) return reject(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    input.on('data', onData);
    input.on('end', onEnd);
    input.on('error', onEnd);
    input.resume();
  });
}

/** Creates the terminal of a program. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { input, show } = options;
  const isInteractive = input.isTTY === true && input.setRawMode !== undefined;

  return {
    isInteractive,
    async ask(label) {
      const line = createLine(label);
      show(`${label}: `);
      input.setRawMode?.(true);
      try {
        const how = await consume(options, (chunk) => chunk.some((byte) => press(byte, line) === 'done'));
        if (how === 'end') throw aborted();
        return line.toSecret();
      } finally {
        line.clear();
        input.setRawMode?.(false);
        show('\n');
      }
    },
    async readAll(field) {
      options.checkInput?.();
      const line = createLine(field);
      try {
        await consume(options, (chunk) => {
          for (const byte of chunk) line.take(byte);
          return false;
        });
        const whole = line.toSecret();
        const bytes = whole.reveal().slice();
        whole.dispose();
        return toTrimmedSecret(bytes, field);
      } finally {
        line.clear();
      }
    },
  };
}
