/**
 * What surrounds a failure as a window shows it: the same from what was heard as from a bundle (docs/spec/triage.md D14).
 * Law: the lines may be another's: each is looked at by its schema, what does not fit is left out, and every text is plain and visible.
 */
import { z } from 'zod';
import { plainLines } from '../../shared/base/plain-output.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { LetterAround } from '../../shared/contract/dlq-contract.ts';
import { dateMs } from './bundle-fields.ts';

/** Of each output, characters; of samples and states. */
const maxText = 64 * 1024;
const maxRows = 512;
const maxReason = 1_024;

const terminal = z.object({
  ...{ kind: z.literal('terminal'), stream: z.enum(['stdout', 'stderr']), text: z.string() },
  isCut: z.boolean().optional(),
});
const sample = z.object({ atMs: dateMs, cpuPercent: z.number().min(0), rssBytes: z.number().min(0) });
const telemetry = z.object({ kind: z.literal('telemetry'), samples: z.array(z.unknown()) });
const state = z.object({
  atMs: dateMs,
  state: z.string().max(64),
  detail: z.object({ reason: z.string().optional() }).optional(),
});
const status = z.object({ kind: z.literal('status'), states: z.array(z.unknown()) });

/** Those that fit, the last of them. */
function fitting<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
  return values.slice(-maxRows).flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
}

function outputOf({ stream, text, isCut: wasCut = false }: z.infer<typeof terminal>): LetterAround['outputs'][number] {
  // What is cut begins with a whole line, unless it is one.
  const tail = text.slice(-maxText);
  const isShort = tail.length < text.length;
  const start = isShort ? tail.indexOf('\n') + 1 : 0;
  return { stream, text: plainLines(tail.slice(start)).join('\n'), isCut: wasCut || isShort };
}

/** The lines of one letter. */
export function aroundOf(
  lines: readonly object[],
  { session, sealedCount }: Pick<LetterAround, 'session' | 'sealedCount'>,
): LetterAround {
  const outputs = fitting(terminal, lines).map(outputOf);
  const samples = fitting(telemetry, lines).flatMap((one) => fitting(sample, one.samples));
  const states = fitting(status, lines).flatMap((one) => fitting(state, one.states));
  return {
    ...{ session, sealedCount },
    outputs: (['stderr', 'stdout'] as const).flatMap((stream) => outputs.find((one) => one.stream === stream) ?? []),
    samples: samples.slice(-maxRows).sort((a, b) => a.atMs - b.atMs),
    states: states.slice(-maxRows).map(({ atMs, state: name, detail }) => ({
      ...{ atMs, state: visibleText(name) },
      reason: detail?.reason === undefined ? null : visibleText(detail.reason.slice(0, maxReason)),
    })),
  };
}
