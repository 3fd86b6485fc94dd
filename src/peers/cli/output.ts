/** stdout is data, stderr is talk; a reader that has gone is no error (cli.md). */
import type { Writable } from 'node:stream';
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
  /** Text that was asked for, such as help. */
  print(text: string): void;
  configure(how: { readonly isJson: boolean; readonly isQuiet: boolean }): void;
  /** Resolves when both streams have taken everything, or nobody reads them any more. */
  flush(): Promise<void>;
}

/** Creates the output. Errors of the streams mean that nobody reads: what follows is dropped. */
export function createOutput(stdout: Writable, stderr: Writable): Output {
  let isJson = false;
  let isQuiet = false;
  const gone = new Set<Writable>();
  for (const stream of [stdout, stderr]) stream.on('error', () => gone.add(stream));

  const write = (stream: Writable, text: string): void => {
    if (!gone.has(stream) && stream.writable) stream.write(text);
  };
  const flushOne = (stream: Writable): Promise<void> =>
    new Promise((resolve) => {
      if (gone.has(stream) || !stream.writable) return resolve();
      stream.once('close', resolve);
      stream.once('error', () => resolve());
      stream.write('', () => resolve());
    });

  return {
    data: (value, text) => write(stdout, `${isJson ? JSON.stringify(value) : text}\n`),
    change(value) {
      if (isJson) write(stdout, `${JSON.stringify(value)}\n`);
    },
    talk(text) {
      if (!isQuiet) write(stderr, `${visibleText(text)}\n`);
    },
    complain: (text) => write(stderr, `vak: ${visibleText(text)}\n`),
    print: (text) => write(stdout, text),
    configure(how) {
      isJson = how.isJson;
      isQuiet = how.isQuiet;
    },
    async flush() {
      await flushOne(stdout);
      await flushOne(stderr);
    },
  };
}
