/** `vak stream export`: messages of a stream into a file, as the app exports them (docs/spec/streams.md V6). */
import { type ExportStep, exportMessages, readStored } from '../../engine/feeds/message-export.ts';
import { createStoredReader } from '../../engine/feeds/stored-reader.ts';
import { createSubjectReader } from '../../engine/feeds/subject-reader.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { recordProblem } from '../../engine/work/record-content.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ExportBound, ExportFormat, ExportInput } from '../../shared/contract/streams-contract.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { withIdentityBus } from './identity-bus.ts';
import { checkNewFile, writeNewFile } from './new-file.ts';
import { readBound, streamName } from './stream-commands.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

const formats: readonly ExportFormat[] = ['ndjson', 'csv', 'raw'];
const toldEveryMs = 1_000;

function readFormat(text = 'ndjson'): ExportFormat {
  const found = formats.find((one) => one === text);
  if (found !== undefined) return found;
  throw new VakError('invalid-input', `--format: found ${text.length} characters, allowed: ${formats.join(', ')}`);
}

function boundOf(text: string | undefined, field: string): ExportBound | undefined {
  const { seq, ms } = readBound(text, field);
  if (seq !== undefined) return { kind: 'seq', seq };
  return ms === undefined ? undefined : { kind: 'time', ms };
}

/** Says how far it is, once a second. */
function createTelling({ output, clock }: CliHost) {
  let toldMs = clock.monotonic();
  return ({ lookedCount, totalCount, writtenCount }: ExportStep): void => {
    if (clock.monotonic() - toldMs < toldEveryMs) return;
    toldMs = clock.monotonic();
    output.talk(`vak: ${lookedCount} of ${totalCount} looked at, ${writtenCount} written`);
  };
}

interface Asked {
  readonly input: ExportInput & { readonly stream: string };
  readonly path: string;
}

async function write({ input, path }: Asked, common: CommonOptions, host: CliHost) {
  const { clock, signal } = host;
  return await withIdentityBus({ common }, host, async (bus) => {
    const trust = createWorkspaceTrust({ ...bus, workspace: common.workspace }, host);
    try {
      const { durable } = bus.fabric;
      const subjects = createSubjectReader();
      const stored = createStoredReader({
        ...{ ...trust, durable, subjects, clock, contentProblem: recordProblem },
        ...{ peerOf: () => null, logger: createSilentLogger() },
      });
      const { rows, messages } = stored;
      const { stream } = input;
      const wants = stored.matcher(input.filter);
      const read = (stop: AbortSignal) => readStored(input, { durable, messages }, stop);
      return await exportMessages(
        {
          ...{ source: { stream, rows, messages, wants, read }, input, signal, onStep: createTelling(host) },
          save: (pieces) => writeNewFile(path, pieces),
        },
        { subjects, clock, rest: () => new Promise((resolve) => clock.defer(resolve)) },
      );
    } finally {
      trust.dispose();
    }
  });
}

export const streamExportCommand: Command = {
  words: ['stream', 'export'],
  changes: 'machine',
  args: ['STREAM'],
  options: {
    out: { value: 'FILE', help: 'a new file' },
    format: { value: 'F', help: 'ndjson (default), csv or raw' },
    from: { value: 'T|SEQ', help: 'first number, or ISO time of storing (default: the beginning)' },
    to: { value: 'T|SEQ', help: 'last number, or ISO time of storing (default: what is there now)' },
    match: { value: 'FILTER', help: 'only what the filter means, as it is typed in Streams' },
    payloads: { help: 'adds the opened payload to each line of ndjson' },
  },
  summary: 'Writes messages of a stream to a file, as --identity, with what is known of each.',
  notes: `ndjson has one object a line: place, time, subject, trust, the message as it came in base64. csv is a table for spreadsheets, in
which no cell is taken for a formula. raw has the opened payload of each message behind its length, or the whole message where it does
not open. Both ends are included; it ends at what was the last message when it began. The file is there whole or not at all, for its
owner alone. STREAM is a name, or short: work stands for VAK_WORK_<workspace>. Nothing is claimed or deleted. With --json prints
{path, count, bytes}.`,
  needs: contextNeed,
  example:
    "vak stream export receipts --format csv --out receipts.csv --from 2026-01-31 --context prod\nvak stream export dlq --match 'peer:builder trust:accepted' --out letters.ndjson --context prod",
  async run({ args: [stream = ''], common, option, isOn }, host) {
    const path = option('out');
    if (path === undefined) throw new VakError('invalid-input', '--out: missing; give the name of a new file');
    const [from, to] = [boundOf(option('from'), '--from'), boundOf(option('to'), '--to')];
    const filter = option('match');
    const input = {
      ...{ stream: streamName(stream, common.workspace), format: readFormat(option('format')) },
      ...{ withPayload: isOn('payloads') },
      ...(filter === undefined ? {} : { filter }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
    await checkNewFile(path);
    const { count, bytes } = await write({ input, path }, common, host);
    host.output.change({ path, count, bytes });
    host.output.talk(`${path}: ${count} ${count === 1 ? 'message' : 'messages'}, ${bytes} bytes`);
    return exitCodes.done;
  },
};
