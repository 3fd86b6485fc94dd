/** Where somebody chats: a terminal whose prompt stays below what comes, or a pipe that is read line by line (cli.md). */
import { clearLine, createInterface, cursorTo } from 'node:readline';
import { isVakError } from '../shared/base/vak-error.ts';
import type { CliHost } from './cli/command.ts';
import type { Keyboard } from './cli/keyboard.ts';
import { readLines } from './cli/standard-input.ts';

export interface ChatScreen {
  /** What is typed; it ends when nobody types any more. */
  readonly lines: AsyncIterable<string>;
  /** Whether somebody sits there; else a program reads and writes. */
  readonly isInteractive: boolean;
  show(value: object, text: string): void;
  /** What stands before what is typed. */
  prompt(text: string): void;
  close(): void;
}

/** As much as a message takes. */
const maxLineBytes = 64 * 1024;

/** Lines of a pipe; each shown thing is data. */
export function createPipeScreen({ input, output, signal }: CliHost): ChatScreen {
  async function* lines(): AsyncGenerator<string, void> {
    try {
      for await (const line of readLines(input(), { maxBytes: maxLineBytes, signal })) {
        if (line.kind === 'too-long')
          output.talk(`vak: line ${line.number}: longer than ${maxLineBytes} bytes; left out`);
        else yield Buffer.from(line.bytes).toString();
      }
    } catch (error) {
      if (!isVakError(error, 'aborted')) throw error;
    }
  }
  return { lines: lines(), isInteractive: false, show: output.data, prompt: () => {}, close: () => {} };
}

/** A terminal: what is being typed stays, below what is shown. */
export function createTerminalScreen({ input, output }: Keyboard, signal: AbortSignal): ChatScreen {
  const editor = createInterface({ input, output, terminal: true, historySize: 200, prompt: '> ' });
  const end = (): void => editor.close();
  signal.addEventListener('abort', end, { once: true });
  // A line that was begun is thrown away, as in a shell; on an empty one it is the end.
  editor.on('SIGINT', () => {
    if (editor.line === '') return end();
    clearLine(output, 0);
    cursorTo(output, 0);
    editor.write(null, { ctrl: true, name: 'e' });
    editor.write(null, { ctrl: true, name: 'u' });
    editor.prompt();
  });

  async function* lines(): AsyncGenerator<string, void> {
    for await (const line of editor) {
      yield line.trim();
      editor.prompt();
    }
  }

  return {
    lines: lines(),
    isInteractive: true,
    show(_value, text) {
      clearLine(output, 0);
      cursorTo(output, 0);
      output.write(`${text}\n`);
      editor.prompt(true);
    },
    prompt(text) {
      editor.setPrompt(text);
      editor.prompt(true);
    },
    close() {
      signal.removeEventListener('abort', end);
      editor.close();
    },
  };
}
