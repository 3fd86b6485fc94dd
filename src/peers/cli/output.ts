/** stdout is data, stderr is talk; a reader that has gone is no error, what cannot be written is one (cli.md). */
import type { Writable } from 'node:stream';
import { systemCode } from '../../engine/identity/file-error.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';

export interface Output {
  /** A piece of data: as one line of JSON, or as `text`, by what the user asked for. */
  data(value: unknown, text: string): void;
  /** What a command changed: a line of JSON if the user asked for JSON; people are told by `talk`. */
  change(value: unknown): void;
  /** Progress for people; not with `--quiet`. */
  talk(text: string): void;
  /** What went wrong, on one line: what, where, what to do. */
  complain(text: string): void;
  /** Text that was asked for, such as help; or bytes as they are. */
  print(text: string | Uint8Array): void;
  configure(how: { readonly isJson: boolean; readonly isQuiet: boolean }): void;
  /** Whether nothing but errors of the command is to be told. */
  isQuiet(): boolean;
  /** Resolves when stdout takes more; false if it never will: nobody reads it, or it cannot be written. */
  isTaken(): Promise<boolean>;
  /** Resolves when both streams have taken everything, or never will. */
  flush(): Promise<void>;
  /** Why data was lost although somebody waits for it; known after `flush`. */
  failure(): VakError | undefined;
}

/** A stream that was told to take texts, and what became of it. */
interface Channel {
  write(text: string | Uint8Array): void;
  isTaken(): Promise<boolean>;
  flush(): Promise<void>;
  error(): Error | undefined;
}

function createChannel(stream: Writable): Channel {
  let failed: Error | undefined;
  let isGone = false;
  let written: Promise<void> = Promise.resolve();
  const fail = (error: Error): void => {
    failed ??= error;
    isGone = true;
  };
  const ended = new Promise<void>((resolve) => {
    stream.once('close', () => resolve());
    stream.on('error', (error) => {
      fail(error);
      resolve();
    });
  });
  void ended.then(() => {
    isGone = true;
  });

  return {
    write(text) {
      if (isGone || !stream.writable) return;
      written = new Promise((resolve) => {
        stream.write(text, (error) => {
          if (error instanceof Error) fail(error);
          resolve();
        });
      });
    },
    async isTaken() {
      if (!isGone && stream.writable && stream.writableNeedDrain) {
        await Promise.race([new Promise<void>((resolve) => stream.once('drain', resolve)), ended]);
      }
      return !isGone && stream.writable;
    },
    flush: () => Promise.race([written, ended]),
    error: () => failed,
  };
}

/** Errors of a reader that has gone, which is its right. */
const readerGone: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** Creates the output. After an error of a stream what follows is dropped. */
export function createOutput(stdout: Writable, stderr: Writable): Output {
  let isJson = false;
  let isQuiet = false;
  const [data, talk] = [createChannel(stdout), createChannel(stderr)];

  return {
    data: (value, text) => data.write(`${isJson ? JSON.stringify(value) : text}\n`),
    change(value) {
      if (isJson) data.write(`${JSON.stringify(value)}\n`);
    },
    talk(text) {
      if (!isQuiet) talk.write(`${visibleText(text)}\n`);
    },
    complain: (text) => talk.write(`vak: ${visibleText(text)}\n`),
    print: (text) => data.write(text),
    configure(how) {
      isJson = how.isJson;
      isQuiet = how.isQuiet;
    },
    isQuiet: () => isQuiet,
    isTaken: data.isTaken,
    async flush() {
      await data.flush();
      await talk.flush();
    },
    failure() {
      const error = data.error();
      if (error === undefined || readerGone.has((error as NodeJS.ErrnoException).code)) return undefined;
      const why = systemCode(error) ?? 'it failed';
      return new VakError(
        'forbidden',
        `stdout: cannot be written (${why}), the output is not whole; free space or name another file`,
        {
          cause: error,
        },
      );
    },
  };
}
