/**
 * What a command printed, as plain lines: colours and cursor moves taken out, a line that was written over shown as it was last.
 * Law: the output is hostile: what would not be seen is shown as a sign, and nothing is obeyed.
 */
import { visibleText } from './visible-text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI sequences begin with ESC, which is what must go.
const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\|(?=\n)|$)|[ -/]*[0-~])/g;

/** Text without ANSI sequences. */
export function withoutAnsi(text: string): string {
  return text.replace(ansi, '');
}

/** A progress bar begins its line again and again: the last one that says something stands. */
function lastWritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((one) => one !== '') ?? '';
}

/** Tabs as spaces to the next eighth column. */
function withoutTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let done = '';
  for (const sign of line) done += sign === '\t' ? ' '.repeat(8 - (done.length % 8)) : sign;
  return done;
}

/** The lines of an output, each safe to show; a line break ends the last one no more. */
export function plainLines(text: string): string[] {
  const lines = withoutAnsi(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => visibleText(withoutTabs(lastWritten(line))));
}
