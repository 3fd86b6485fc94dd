/** What sessions said on a bus, in envelopes, kept for assertions. */
import { createHash } from 'node:crypto';
import type { Bus } from '../../src/engine/bus/bus.ts';
import { fromBase64 } from '../../src/shared/base/bytes.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../src/shared/protocol/envelope-codec.ts';
import {
  decodePayload,
  type StatusPayload,
  type TelemetryPayload,
  type TerminalPayload,
} from '../../src/shared/protocol/payloads.ts';

interface StreamRecord {
  sizeBytes: number;
  /** Offsets that were not the sum of the sizes before. */
  misplacedCount: number;
  largestBytes: number;
}

/** Whom to listen to. */
export interface RecorderOptions {
  readonly workspace: string;
  /** All sessions, if left out. */
  readonly session?: string;
  /** How payloads are opened; they come plain, if left out. */
  readonly open?: (envelope: Envelope) => Uint8Array;
}

export interface SessionRecorder {
  /** The first thousand that were heard, of any verb. */
  readonly envelopes: readonly Envelope[];
  /** The first thousand of {@link order}, each with its envelope. */
  readonly told: readonly { readonly what: string; readonly envelope: Envelope }[];
  readonly statuses: readonly StatusPayload[];
  readonly telemetry: readonly TelemetryPayload[];
  /** Verbs and states in the order in which they were heard. */
  readonly order: readonly string[];
  readonly streams: Readonly<Record<TerminalPayload['stream'], StreamRecord>>;
  /** The text of a stream; only the first MiB is kept. */
  text(stream: TerminalPayload['stream']): string;
  /** SHA-256 of all bytes of stdout. */
  stdoutDigest(): string;
  /** The final status of a task, or of the only one. */
  final(taskId?: string): StatusPayload | undefined;
}

const keptBytes = 1024 * 1024;
const keptCount = 1000;

/** Listens to `vak.events.<workspace>.<session>.*`. */
export function recordSession(bus: Bus, options: RecorderOptions): SessionRecorder {
  const { workspace, session = '*', open = payloadBytesOf } = options;
  const envelopes: Envelope[] = [];
  const statuses: StatusPayload[] = [];
  const telemetry: TelemetryPayload[] = [];
  const order: string[] = [];
  const told: { what: string; envelope: Envelope }[] = [];
  const create = (): StreamRecord => ({ sizeBytes: 0, misplacedCount: 0, largestBytes: 0 });
  const streams = { stdout: create(), stderr: create() };
  const kept: Record<TerminalPayload['stream'], Uint8Array[]> = { stdout: [], stderr: [] };
  const hash = createHash('sha256');

  function hearTerminal({ stream, offset, bytes }: TerminalPayload): void {
    const record = streams[stream];
    const data = fromBase64(bytes, 'bytes');
    if (offset !== record.sizeBytes) record.misplacedCount++;
    if (record.sizeBytes < keptBytes) kept[stream].push(data);
    record.sizeBytes += data.length;
    record.largestBytes = Math.max(record.largestBytes, data.length);
    if (stream === 'stdout') hash.update(data);
  }

  function tell(what: string, envelope: Envelope): void {
    order.push(what);
    if (told.length < keptCount) told.push({ what, envelope });
  }

  bus.subscribe(`vak.events.${workspace}.${session}.*`, {
    kind: 'inline',
    onMessage({ subject, data: message }) {
      const verb = subject.slice(subject.lastIndexOf('.') + 1);
      const envelope = decodeEnvelope(message);
      if (envelopes.length < keptCount) envelopes.push(envelope);
      const data = open(envelope);
      if (verb === 'terminal') {
        hearTerminal(decodePayload('vak.events.terminal', data));
        tell(verb, envelope);
      } else if (verb === 'telemetry') {
        telemetry.push(decodePayload('vak.events.telemetry', data));
      } else if (verb === 'status') {
        const status = decodePayload('vak.events.status', data);
        if (status.state === 'heartbeat') return;
        statuses.push(status);
        tell(status.state, envelope);
      }
    },
  });

  return {
    envelopes,
    told,
    statuses,
    telemetry,
    order,
    streams,
    text: (stream) => Buffer.concat(kept[stream]).toString('utf8'),
    stdoutDigest: () => hash.copy().digest('hex'),
    final: (taskId) =>
      statuses.find(
        (status) =>
          (status.state === 'done' || status.state === 'failed') && (taskId ?? status.taskId) === status.taskId,
      ),
  };
}
