/** What is wrong with a command line before anybody runs it, in words. Pure. */
import { maxArgumentLength } from '../../shared/protocol/task-limits.ts';
import { formatBytes, formatCount } from './format.ts';

/** Undefined: nothing is. */
export function lineFault(line: string): string | undefined {
  if (line.trim() === '') return 'Type a command line.';
  if (line.length <= maxArgumentLength) return undefined;
  const most = `${formatCount(maxArgumentLength)} (${formatBytes(maxArgumentLength)})`;
  return `It has ${formatCount(line.length)} characters, and a command line takes at most ${most}: put it into a script and run that.`;
}
