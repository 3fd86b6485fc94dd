/**
 * What a session's output may do to its terminal: print, colour, move the cursor (quality.md §4).
 * Law: nothing it prints reaches the title, clipboard, links, palette, mouse, or the lines that were printed before.
 */
import type { Terminal } from '@xterm/xterm';

type Params = (number | number[])[];

/** OSC commands that xterm or an add-on obeys; it ignores all others, and APC, PM and SOS, by itself. */
const oscCommands = [
  0, 1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17, 19, 22, 50, 52, 104, 105, 110, 111, 112, 117, 119, 133, 633, 777,
  1337,
];
/** Private modes that concern cursor and wrapping: the rest turns on mouse, alternate screen, focus reports, … */
const allowedModes: ReadonlySet<number> = new Set([6, 7, 25]);
/** A count above this is more than any screen; xterm would do or allocate it one by one. */
const maxRepeat = 4096;
/** Sequences whose first parameter says how often: repeat, scroll, insert and delete of lines, columns and characters. */
const counted = [
  ...['b', 'S', 'T', 'L', 'M', '@', 'P', 'X', 'I', 'Z'].map((final) => ({ final })),
  ...['@', 'A'].map((final) => ({ intermediates: ' ', final })),
  ...['}', '~'].map((final) => ({ intermediates: "'", final })),
];

const first = (params: Params): number => {
  const value = params[0];
  return typeof value === 'number' ? value : 0;
};

const isForbiddenMode = (params: Params): boolean =>
  params.some((param) => typeof param !== 'number' || !allowedModes.has(param));

/** Registers the refusals; they go with the terminal. */
export function guardTerminal({ parser }: Pick<Terminal, 'parser'>): void {
  const refuse = (): boolean => true;
  for (const command of oscCommands) parser.registerOscHandler(command, refuse);
  // DECRQSS would answer; nothing listens, but nothing is to be built either.
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, refuse);
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, isForbiddenMode);
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, isForbiddenMode);
  for (const id of counted) parser.registerCsiHandler(id, (params) => first(params) > maxRepeat);
  parser.registerCsiHandler({ final: 't' }, refuse);
  parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, refuse);
  // Erasing the scrollback and a full reset would remove what the operator is to see.
  for (const id of [{ final: 'J' }, { prefix: '?', final: 'J' }])
    parser.registerCsiHandler(id, (params) => first(params) === 3);
  parser.registerEscHandler({ final: 'c' }, refuse);
}
