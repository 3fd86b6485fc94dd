/** In place of the product's own in tests that are not about it: a program of theirs would spend two thirds of its time on a passphrase. */
import type { Alias } from 'vite';

export const passphraseCost = { n: 2 ** 10, r: 8, p: 1 } as const;

/** For a bundle or a project of tests; `root` ends without a slash. */
export function cheapPassphrases(root: string): Alias {
  return { find: /^.*\/passphrase-cost\.ts$/, replacement: `${root}/tests/support/cheap-passphrase-cost.ts` };
}
