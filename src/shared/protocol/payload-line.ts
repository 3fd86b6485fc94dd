/**
 * What a payload of each known type says, in a line for people.
 * Law: every known type has one; the text is as hostile as its payload: whoever shows it bounds it and makes it visible.
 */
import type { KnownType, PayloadOf } from './payloads.ts';
import { wasCancelled } from './stop-causes.ts';

const mebibyte = 1024 * 1024;

/** Joins what is there. */
function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

const exitText = (exitCode: number | undefined): string | undefined =>
  exitCode === undefined ? undefined : `exit code ${exitCode}`;

const entryLine = ({ body, n, epoch }: PayloadOf<'vak.rooms.entry'>): string =>
  joined(body.type, 'peer' in body ? body.peer : undefined, `#${n}`, `epoch ${epoch}`);

const lines: { readonly [T in KnownType]: (payload: PayloadOf<T>) => string } = {
  'vak.events.tokens': ({ text }) => text,
  'vak.events.terminal': ({ stream, offset, bytes }) =>
    joined(stream, `${Math.floor((bytes.length * 3) / 4)} bytes at ${offset}`),
  'vak.events.telemetry': ({ rssBytes, cpuPercent, processes }) =>
    joined(
      `rss ${(rssBytes / mebibyte).toFixed(1)} MiB`,
      `cpu ${cpuPercent.toFixed(0)} %`,
      `${processes} ${processes === 1 ? 'process' : 'processes'}`,
    ),
  'vak.events.status': ({ state, detail }) =>
    state === 'failed' && wasCancelled(detail)
      ? (detail?.reason ?? 'cancelled')
      : joined(state, detail?.reason ?? exitText(detail?.exitCode) ?? detail?.signal),
  'vak.work.task': ({ command, input }) => command?.join(' ') ?? `input ${JSON.stringify(input)}`,
  'vak.agent.message': ({ kind, text, signal }) => joined(kind, signal, text),
  'vak.receipts.completed': ({ outcome, queue, attempt, reason, exitCode }) =>
    joined(outcome, `${queue} #${attempt}`, reason ?? exitText(exitCode)),
  'vak.approvals.request': ({ title, detail }) => joined(title, detail),
  'vak.approvals.verdict': ({ decision, reason }) => joined(decision, reason),
  'vak.dlq.failed': ({ errorClass, reason, queue, attempts }) =>
    joined(errorClass, reason, `${queue}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`),
  'vak.audit.action': ({ action, target, count, outcome }) => joined(action, target, String(count), outcome),
  'vak.audit.checkpoint': ({ source, seq }) => joined(`${source}#${seq}`),
  'vak.audit.void': ({ source, seq, reason }) => joined(`${source}#${seq}`, reason),
  'vak.rooms.frame': ({ kind, sender, epoch, counter }) => joined(kind, sender, `epoch ${epoch}`, `#${counter}`),
  'vak.rooms.presence': ({ isTyping, readSeq }) =>
    joined(
      isTyping === undefined ? undefined : isTyping ? 'writes' : 'writes no more',
      readSeq === undefined ? undefined : `has read up to ${readSeq}`,
    ),
  'vak.keys.package': ({ room, epoch }) => joined('room key', room, `epoch ${epoch}`),
  'vak.keys.request': ({ room, epoch }) => joined('asks for a room key', room, `epoch ${epoch}`),
  'vak.keys.withheld': ({ room, epoch, reason }) => joined('room key withheld', room, `epoch ${epoch}`, reason),
  'vak.keys.invite': ({ room, n }) => joined('invitation', room, `entry ${n}`),
  'vak.rooms.entry': entryLine,
  'vak.control.rooms.append': ({ entry }) => entryLine(entry),
  'vak.control.rooms.mine': () => 'rooms of whoever asks',
};

/** The line of a payload that was checked against its schema. */
export function payloadLine<T extends KnownType>(type: T, payload: PayloadOf<T>): string {
  return lines[type](payload);
}
