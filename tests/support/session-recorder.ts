/** What sessions said on a bus, kept for assertions. */
import { createHash } from 'node:crypto';
import type { Bus } from '../../src/engine/bus/bus.ts';
import { fromBase64 } from '../../src/shared/base/bytes.ts';
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

export interface SessionRecorder {
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

/** Listens to `vak.events.<workspace>.<session>.*`; `*` hears all sessions. */
export function recordSession(bus: Bus, workspace: string, session = '*'): SessionRecorder {
  const statuses: StatusPayload[] = [];
  const telemetry: TelemetryPayload[] = [];
  const order: string[] = [];
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

  bus.subscribe(`vak.events.${workspace}.${session}.*`, {
    kind: 'inline',
    onMessage({ subject, data }) {
      const verb = subject.slice(subject.lastIndexOf('.') + 1);
      if (verb === 'terminal') {
        hearTerminal(decodePayload('vak.events.terminal', data));
        order.push(verb);
      } else if (verb === 'telemetry') {
        telemetry.push(decodePayload('vak.events.telemetry', data));
      } else if (verb === 'status') {
        const status = decodePayload('vak.events.status', data);
        if (status.state === 'heartbeat') return;
        statuses.push(status);
        order.push(status.state);
      }
    },
  });

  return {
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
