/**
 * What a bundle says about itself, first and last (docs/spec/triage.md D11, D14).
 * Law: it is another's word: what does not fit is not told, every text is visible and every list bounded.
 */
import { z } from 'zod';
import type { BundleReport } from '../../shared/contract/bundles-contract.ts';
import { shownLine } from './bundle-fields.ts';

const maxItems = 100;

const count = z.int().min(0);
const about = z.object({
  environment: shownLine(256),
  scope: shownLine(),
  reason: shownLine().nullable(),
  isRedacted: z.boolean(),
});
const end = z.object({
  redacted: z.record(z.string().max(64), count),
  leftOut: z.array(z.object({ why: shownLine(), count })),
  notes: z.array(shownLine()),
});

/** Reads both; null or nothing where it says nothing that can be read. */
export function readBundleStory(said: {
  readonly about: object | undefined;
  readonly end: object | undefined;
}): Pick<BundleReport, 'about' | 'redacted' | 'leftOut' | 'notes'> {
  const [first, last] = [about.safeParse(said.about), end.safeParse(said.end)];
  const { redacted = {}, leftOut = [], notes = [] } = last.success ? last.data : {};
  return {
    about: first.success ? first.data : null,
    redacted: Object.entries(redacted)
      .slice(0, maxItems)
      .map(([kind, counted]) => ({ kind: shownLine().parse(kind), count: counted })),
    ...{ leftOut: leftOut.slice(0, maxItems), notes: notes.slice(0, maxItems) },
  };
}
