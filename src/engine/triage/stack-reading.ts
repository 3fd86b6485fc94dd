/**
 * Reads what programs print when they fail: stacks of Node, Python, Java, Go, Rust and .NET, also in the midst of other output.
 * Law: pure and linear; a text of any length costs no more than its last 32 KiB; what is no stack reads as nothing.
 */

import { fileOf, readStackLine, type StackFrame, type StackLine } from './stack-lines.ts';

/** One error; `frames`: innermost call first. */
export interface StackError {
  /** Class of the error; empty if it is not told. */
  readonly type: string;
  readonly message: string;
  readonly frames: readonly StackFrame[];
}

/** Characters that are looked at: of what a program printed the end says why it ended. */
const maxRead = 32 * 1024;
const maxLine = 2048;
/** Lines that a message goes on for. */
const maxMessageLines = 8;

interface Building {
  type: string;
  messages: string[];
  frames: StackFrame[];
  isReversed: boolean;
  isCause: boolean;
  /** Whether lines of text go on with its message. */
  isOpen: boolean;
  /** Whether frames that follow are of something else. */
  isOver: boolean;
}

const begun = (head: Partial<Building>): Building => ({
  ...{ type: '', messages: [], frames: [], isReversed: false, isCause: false, isOpen: false, isOver: false },
  ...head,
});

function isEmpty({ type, messages, frames }: Building): boolean {
  return type === '' && messages.length === 0 && frames.length === 0;
}

function finished({ type, messages, frames, isReversed }: Building): StackError {
  return { type, message: messages.join('\n').trim(), frames: isReversed ? frames.toReversed() : frames };
}

/** Collects the errors of a text; one report is an error with its causes. */
function createCollector() {
  const reports: Building[][] = [];
  let now = begun({});

  /** Puts the present error where it belongs: to the report before it if it is its cause. */
  function close(): void {
    if (!isEmpty(now)) {
      const last = reports.at(-1);
      if (now.isCause && last !== undefined) last.push(now);
      else reports.push([now]);
    }
  }

  function onHead({ type, message, isCause }: StackLine & { readonly kind: 'head' }): void {
    // Python names the error after its frames.
    if (now.isReversed && now.type === '' && now.frames.length > 0) {
      now.type = type;
      now.messages = [message];
      now.isOpen = true;
      return;
    }
    close();
    now = begun({ type, messages: message === '' ? [] : [message], isCause, isOpen: true });
  }

  function onFrame({ frame: found, isReversed }: StackLine & { readonly kind: 'frame' }): void {
    if (isReversed && !now.isReversed) {
      close();
      now = begun({ isReversed });
    }
    now.isOpen = false;
    if (!now.isOver) now.frames.push(found);
  }

  function onPlace({ path, isForeign }: StackLine & { readonly kind: 'place' }): void {
    if (now.isOver) return;
    const last = now.frames.pop();
    if (last !== undefined) now.frames.push({ ...last, file: fileOf(path), isForeign: last.isForeign || isForeign });
  }

  return {
    take(line: StackLine): void {
      switch (line.kind) {
        case 'head':
          onHead(line);
          break;
        case 'frame':
          onFrame(line);
          break;
        case 'begin':
          close();
          now = begun({ isReversed: true });
          break;
        case 'text':
          if (now.isOpen && now.messages.length < maxMessageLines) now.messages.push(line.text.trim());
          break;
        case 'place':
          onPlace(line);
          break;
        case 'end':
          now.isOpen = false;
          now.isOver = now.frames.length > 0;
          break;
        case 'skip':
          break;
      }
    },
    reports(): readonly (readonly Building[])[] {
      close();
      now = begun({});
      return reports;
    },
  };
}

/** What runtimes and tools add to every failure. */
const saysNothing =
  /^(?:\s*|Node\.js v\d[\w.-]*|\(Use `node --trace-.*|note: run with .*|Aborted(?: \(core dumped\))?|\s*\^[~^ ]*|npm (?:ERR!|error)(?: A complete log of this run.*|\s+\S*_logs\S*| *))$/;

/** What a program said last that is no stack: from its last line that speaks of an error, else its last line. */
function lastWords(lines: readonly string[]): string {
  const said = lines.filter((line) => !saysNothing.test(line));
  const at = said.findLastIndex((line) => /^\s*(?:\S{1,40} )?(?:error|fatal|failed|failure|panic)\b/i.test(line));
  return said
    .slice(at === -1 ? -1 : at)
    .slice(0, maxMessageLines)
    .join('\n')
    .trim();
}

/**
 * The errors of the last report that has frames, else of the last: the outermost first, its causes after it. Of a text without a report
 * one error that has its last words, no type and no frames. Empty: it says nothing.
 */
export function readStack(text: string): readonly StackError[] {
  const collector = createCollector();
  const lines = text
    .slice(-maxRead)
    .split(/\r?\n/)
    .map((line) => line.slice(0, maxLine));
  for (const line of lines) collector.take(readStackLine(line));
  const reports = collector.reports();
  const report = reports.findLast((one) => one.some(({ frames }) => frames.length > 0)) ?? reports.at(-1);
  if (report !== undefined) return report.map(finished);
  const message = lastWords(lines);
  return message === '' ? [] : [{ type: '', message, frames: [] }];
}
