/** `vak stream ls|get|view`: what lies in the streams of a server, read only (protocol.md §1). */
import type { ReadOptions, StoredMessage, Stream, StreamState } from '../../engine/bus/durable.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { checkPattern } from '../../shared/protocol/subject.ts';
import { withBus } from './bus-connection.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { contextNeed, serverNeed } from './example-needs.ts';
import { messageLine } from './message-line.ts';
import { readSeq } from './number-input.ts';
import { withProfile } from './profile.ts';

/** Messages of a page: one question to the server each. */
const pageLimit = 256;

function stateLine({ spec, messageCount, bytes, firstSeq, lastSeq, consumerCount }: StreamState) {
  const { name: stream, subjects, retention } = spec;
  const value = { stream, subjects, retention, messages: messageCount, bytes, firstSeq, lastSeq };
  const range = messageCount === 0 ? 'empty' : `${firstSeq}–${lastSeq}`;
  const text = `${visibleText(stream)}  ${messageCount} messages  ${bytes} bytes  ${range}  ${consumerCount} consumers`;
  return { value: { ...value, consumers: consumerCount }, text };
}

const ls: Command = {
  words: ['stream', 'ls'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Lists the streams of a server that these credentials see.',
  notes: 'Prints {stream, subjects, retention, messages, bytes, firstSeq, lastSeq, consumers}, one a line.',
  needs: serverNeed,
  example: 'vak stream ls --nats-url nats://127.0.0.1:4222 --json',
  async run({ common }, host) {
    return await withProfile(common, host, (profile) =>
      withBus({ common, profile, host }, async ({ durable }) => {
        const streams = [...(await durable.streams())].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
        for (const { value, text } of streams.map(stateLine)) host.output.data(value, text);
        return exitCodes.done;
      }),
    );
  },
};

function lineOf({ stream, seq, storedMs, subject, data }: StoredMessage): string {
  return messageLine({ stream, seq, time: new Date(storedMs).toISOString(), subject }, data);
}

/** The stream of an argument: a whole name, or one of the workspace's by its short name, `work` for `VAK_WORK_<ws>`. */
export function streamName(text: string, workspace: string): string {
  const whole = `VAK_${text.toUpperCase()}_${workspace}`;
  return streamsOf(workspace).some(({ name }) => name === whole) ? whole : text;
}

const get: Command = {
  words: ['stream', 'get'],
  changes: 'nothing',
  args: ['STREAM'],
  options: { seq: { value: 'N', help: 'number of the message in the stream' } },
  summary: 'Prints one message of a stream.',
  notes: `Prints {stream, seq, time, subject, envelope}, the envelope as it lies there, or base64 in its place for what is none. STREAM is
a name, or short: work stands for VAK_WORK_<workspace>. Exit code 1 if there is no such message.`,
  needs: `${serverNeed}; a task that was published there (vak publish)`,
  example: 'vak stream get work --seq 1 --nats-url nats://127.0.0.1:4222',
  async run({ args: [stream = ''], common, option }, host) {
    const text = option('seq');
    if (text === undefined) throw new VakError('invalid-input', '--seq: missing; give the number of the message');
    const seq = readSeq(text, '--seq');
    const name = streamName(stream, common.workspace);
    return await withProfile(common, host, (profile) =>
      withBus({ common, profile, host }, async ({ durable }) => {
        const found = await durable.stream(name).get(seq);
        if (found === undefined) throw new VakError('not-found', `${name}: there is no message ${seq}`);
        host.output.print(`${lineOf(found)}\n`);
        return exitCodes.done;
      }),
    );
  },
};

/** One end of what is viewed. */
interface Bound {
  readonly seq?: number;
  readonly ms?: number;
}

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A number, or an ISO time. Throws `invalid-input`. */
export function readBound(text: string | undefined, field: string): Bound {
  if (text === undefined) return {};
  if (/^\d+$/.test(text)) return { seq: readSeq(text, field) };
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms)) return { ms };
  throw new VakError(
    'invalid-input',
    `${field}: no number and no ISO time; give for example 17 or 2026-01-31T12:00:00Z`,
  );
}

interface View extends Omit<ReadOptions, 'limit'> {
  readonly toSeq: number;
  readonly toMs: number;
}

/** Prints page by page; ends early if nobody reads any more. */
async function printView(stream: Stream, { toSeq, toMs, ...options }: View, { output }: CliHost): Promise<void> {
  let next: Omit<ReadOptions, 'limit'> = options;
  for (;;) {
    const { messages, nextSeq } = await stream.read({ ...next, limit: pageLimit });
    for (const message of messages) {
      if (message.seq > toSeq || message.storedMs > toMs) return;
      output.print(`${lineOf(message)}\n`);
      if (!(await output.isTaken())) return;
    }
    if (nextSeq === undefined || nextSeq > toSeq) return;
    const { fromMs: _, ...rest } = options;
    next = { ...rest, fromSeq: nextSeq };
  }
}

const view: Command = {
  words: ['stream', 'view'],
  changes: 'nothing',
  args: ['STREAM'],
  options: {
    from: { value: 'T|SEQ', help: 'first number, or ISO time of storing (default: the beginning)' },
    to: { value: 'T|SEQ', help: 'last number, or ISO time of storing (default: what is there now)' },
    subject: { value: 'P', help: 'only subjects that the pattern matches' },
  },
  summary: 'Prints the messages of a stream in their order.',
  notes: `Prints {stream, seq, time, subject, envelope}, one a line, the envelope as it lies there, or base64 in its place for what is
none. Both ends are included. It ends at what was the last message when it began. STREAM is a name, or short: work stands for
VAK_WORK_<workspace>. Nothing is claimed or deleted.`,
  needs: `${contextNeed}; the streams of its workspaces default and team (vak provision)`,
  example:
    "vak stream view receipts --from 2026-01-31 --subject 'vak.receipts.*.*.completed' --context prod\nvak stream view VAK_DLQ_team --from 17 --to 40 --context prod | jq -c .envelope",
  async run({ args: [stream = ''], common, option }, host) {
    const [from, to] = [readBound(option('from'), '--from'), readBound(option('to'), '--to')];
    const subject = option('subject');
    if (subject !== undefined) checkPattern(subject);
    return await withProfile(common, host, (profile) =>
      withBus({ common, profile, host }, async ({ durable }) => {
        const found = durable.stream(streamName(stream, common.workspace));
        const { lastSeq } = await found.state();
        await printView(
          found,
          {
            ...(from.seq === undefined ? {} : { fromSeq: from.seq }),
            ...(from.ms === undefined ? {} : { fromMs: from.ms }),
            ...(subject === undefined ? {} : { subject }),
            toSeq: Math.min(to.seq ?? lastSeq, lastSeq),
            toMs: to.ms ?? Number.POSITIVE_INFINITY,
            signal: host.signal,
          },
          host,
        );
        return exitCodes.done;
      }),
    );
  },
};

export const streamCommands: readonly Command[] = [ls, get, view];
