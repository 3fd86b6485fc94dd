/** Time that is left, in whole seconds so that it counts evenly. Pure. */
import { unitSpace } from './format.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** `41 s`, `4 min 09 s`, `2 h 05 min`, `3 d 4 h`; undefined: none is left. */
export function countdownWords(leftMs: number): string | undefined {
  if (!(leftMs > 0)) return undefined;
  const seconds = Math.ceil(leftMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const unit = (value: number | string, name: string): string => `${value}${unitSpace}${name}`;
  if (minutes === 0) return unit(seconds, 's');
  if (hours === 0) return `${unit(minutes, 'min')} ${unit(two(seconds % 60), 's')}`;
  if (hours < 24) return `${unit(hours, 'h')} ${unit(two(minutes % 60), 'min')}`;
  return `${unit(Math.floor(hours / 24), 'd')} ${unit(hours % 24, 'h')}`;
}
