/**
 * Fields of what a bundle tells people (docs/spec/triage.md D14).
 * Law: bounded before it is looked at, and visible after; a time is one that a clock can show.
 */
import { z } from 'zod';
import { visibleText } from '../../shared/base/visible-text.ts';

/** ms since the epoch. */
export const dateMs = z.number().min(0).max(8.64e15);

/** One line. */
export const shownLine = (max = 4_096) => z.string().max(max).transform(visibleText);

/** Lines, each visible. */
export const shownLines = (max: number) =>
  z
    .string()
    .max(max)
    .transform((text) =>
      text
        .split(/\r\n|[\n\r]/)
        .map(visibleText)
        .join('\n'),
    );
