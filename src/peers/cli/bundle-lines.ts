/** The parts of an incident bundle as `vak bundle open` shows them; every text is another's, and made visible. */
import type { BundleLineVerdict } from '../../engine/triage/bundle-check.ts';
import { visibleText } from '../../shared/base/visible-text.ts';

/** A part as it stands. */
export function partValue({ line, kind, isOk, content }: BundleLineVerdict) {
  const value = content?.kind === 'part' ? content.value : (content ?? {});
  return { line, ...value, kind, ok: isOk };
}

const maxText = 64 * 1024;

const lines = (text: string): string =>
  text
    .slice(0, maxText)
    .split(/\r\n|[\n\r]/)
    .map((one) => `  ${visibleText(one)}`)
    .join('\n');

type Value = Readonly<Record<string, unknown>>;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
const isValue = (value: unknown): value is Value => typeof value === 'object' && value !== null;
const part = (title: string, text: string): string => `${visibleText(title)}\n${lines(text)}`;

function letterText({ seq, report }: Value): string {
  if (!isValue(report)) return part(`dead letter ${textOf(seq)}`, textOf(report));
  const { queue, state, errorClass, reasonText, stack, taskId, failedMs } = report;
  const failed = typeof failedMs === 'number' && Math.abs(failedMs) < 8.64e15 ? new Date(failedMs).toISOString() : '–';
  const title = `dead letter ${textOf(seq)}  ${textOf(state)}  queue ${textOf(queue)}  task ${textOf(taskId)}  failed ${failed}`;
  const words = [`${textOf(errorClass)}: ${textOf(reasonText)}`, ...(typeof stack === 'string' ? [stack] : [])];
  return part(title, words.join('\n'));
}

function taskText({ letter, text, data, problem }: Value): string {
  return part(`task of dead letter ${textOf(letter)}`, textOf(text ?? problem ?? data));
}

const texts: Readonly<Record<string, (value: Value) => string>> = {
  about: ({ kind: _, ...about }) => part('bundle', JSON.stringify(about)),
  letter: letterText,
  task: taskText,
  receipt: ({ letter, receipt }) => part(`receipt of dead letter ${textOf(letter)}`, textOf(receipt)),
  terminal: ({ letter, stream, text }) => part(`${textOf(stream)} of dead letter ${textOf(letter)}`, textOf(text)),
  telemetry: ({ letter, samples }) => part(`figures of dead letter ${textOf(letter)}`, textOf(samples)),
  status: ({ letter, states }) => part(`states of dead letter ${textOf(letter)}`, textOf(states)),
  audit: ({ action }) => part('on record', textOf(action)),
  end: ({ kind: _, ...end }) => part('end', JSON.stringify(end)),
};

/** A part for people; empty: it is for machines. */
export function partText({ kind, content }: BundleLineVerdict): string {
  if (content?.kind === 'manifest') {
    const { ws, peer, createdAt, operationId } = content;
    return `incident bundle of workspace ${ws}, made by ${peer} at ${createdAt} (operation ${operationId})`;
  }
  if (content?.kind !== 'part') return '';
  const show = Object.hasOwn(texts, kind) ? texts[kind] : undefined;
  return show === undefined ? part(kind, JSON.stringify(content.value)) : show(content.value);
}
