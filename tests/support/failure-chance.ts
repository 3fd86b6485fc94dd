/**
 * What differs from one occurrence of a failure to the next, drawn by a seed.
 * For the tests of grouping; what a seed gives is always the same.
 */

/** What differs between occurrences. */
export interface Chance {
  /** A whole number below. */
  below(most: number): number;
  pick<T>(of: readonly T[]): T;
  hex(digits: number): string;
  uuid(): string;
  time(): string;
  temp(): string;
  address(): string;
  name(): string;
  /** As people of several countries write it. */
  amount(): string;
}

/** mulberry32, the generator that tests of one seed share. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createChance(seed: number): Chance {
  const random = randomOf(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const pick = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    ...{ below, pick, hex, uuid },
    time() {
      const at = new Date(1_790_000_000_000 + below(2_000_000_000));
      return pick([
        at.toISOString(),
        at.toUTCString(),
        at.toISOString().slice(0, 19).replace('T', ' '),
        `${at.getUTCFullYear()}/${two(at.getUTCMonth() + 1)}/${two(at.getUTCDate())} ${at.toISOString().slice(11, 19)}`,
      ]);
    },
    temp: () =>
      pick([
        `/tmp/job-${hex(8)}/part-${below(900)}.csv`,
        `/var/folders/zz/${hex(6)}/T/tmp${hex(5)}`,
        `C:\\Users\\svc${below(9)}\\AppData\\Local\\Temp\\${hex(6)}.tmp`,
      ]),
    address: () =>
      pick([
        `10.${below(256)}.${below(256)}.${below(256)}:${1024 + below(60_000)}`,
        `[2001:db8::${hex(4)}:${hex(2)}]:${1024 + below(60_000)}`,
      ]),
    name: () =>
      `${pick(['mira', 'tomas', 'ines', 'olaf', 'yuki'])}${below(1000)}@${pick(['mail', 'post'])}${below(9)}.test`,
    amount() {
      const value = 1000 + below(9_000_000) + below(100) / 100;
      return pick(['en-US', 'de-DE', 'fr-FR', 'de-CH', 'ar-EG']).startsWith('ar')
        ? new Intl.NumberFormat('ar-EG').format(value)
        : new Intl.NumberFormat(pick(['en-US', 'de-DE', 'fr-FR', 'de-CH']), { minimumFractionDigits: 2 }).format(value);
    },
  };
}
