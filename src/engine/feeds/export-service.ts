/**
 * Exports of messages that a window asks for: where to, the person at the machine says (docs/spec/streams.md V6).
 * Law: each can be stopped by any window, and its progress is told in numbers.
 */
import { basename } from 'node:path';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { ExportDone, ExportInput, ExportProgress, ExportsState } from '../../shared/contract/streams-contract.ts';
import { checkPattern } from '../../shared/protocol/subject.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { Intake } from '../envelope/intake.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { saveFile } from '../rooms/file-transfers.ts';
import { exportForms } from './export-format.ts';
import type { MessageBuffer } from './message-buffer.ts';
import { type ExportSource, exportMessages, readHeard, readStored } from './message-export.ts';
import { createMessageMatcher } from './message-query.ts';
import type { RowReader } from './row-reader.ts';
import type { StoredReader } from './stored-reader.ts';
import type { SubjectReader } from './subject-reader.ts';

/** Most that run at once. */
const maxRunning = 4;
const toldEveryMs = 250;

export interface ExportServiceDeps {
  readonly durable: Pick<DurablePlane, 'stream'>;
  readonly buffer: MessageBuffer;
  readonly intake: Pick<Intake, 'open'>;
  readonly rows: RowReader;
  readonly stored: Pick<StoredReader, 'rows' | 'messages'>;
  readonly subjects: SubjectReader;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile'>;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Disposing stops what is being written. */
export interface ExportService extends Disposable {
  /** Throws `aborted`, `invalid-input`, `limit-exceeded`, `disk-full`, `forbidden`, and what reading throws; nothing is left of it then. */
  start(input: ExportInput, signal: AbortSignal): Promise<ExportDone>;
  cancel(exportId: string): void;
  state(): ExportsState;
}

interface Running {
  progress: ExportProgress;
  readonly stop: AbortController;
}

/** What is being written. */
function createRunning({ clock, onChange }: Pick<ExportServiceDeps, 'clock' | 'onChange'>) {
  const running = new Map<string, Running>();
  let started = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  function tell(): void {
    toldMs = clock.monotonic();
    onChange();
  }
  return {
    running,
    begin(name: string): Running {
      const exportId = `export-${++started}`;
      const counts = { lookedCount: 0, totalCount: 0, writtenCount: 0, writtenBytes: 0 };
      const one = { progress: { exportId, name, ...counts }, stop: new AbortController() };
      running.set(exportId, one);
      tell();
      return one;
    },
    note(one: Running, step: Omit<ExportProgress, 'exportId' | 'name'>): void {
      const isSized = one.progress.totalCount === 0 && step.totalCount > 0;
      one.progress = { ...one.progress, ...step };
      if (isSized || clock.monotonic() - toldMs >= toldEveryMs) tell();
    },
    end({ progress }: Running): void {
      running.delete(progress.exportId);
      tell();
    },
  };
}

/** A name that sorts by time, in UTC. */
function defaultName({ stream, format }: ExportInput, clock: Clock): string {
  const [day, time] = new Date(clock.now()).toISOString().split(/[T.]/);
  return `${stream ?? 'messages'}-${day}-${time?.replaceAll(':', '')}${exportForms[format].ending}`;
}

/** Creates it. */
export function createExportService(deps: ExportServiceDeps): ExportService {
  const { durable, buffer, intake, rows, stored, subjects, prompt, clock } = deps;
  const { running, begin, note, end } = createRunning(deps);
  const rest = (): Promise<void> => new Promise((resolve) => clock.defer(resolve));

  /** Throws `invalid-input`, `invalid-pattern`. */
  function sourceOf({ stream, pattern, filter = '', from, to }: ExportInput): ExportSource {
    const by = stream === null ? { rows, messages: intake } : stored;
    const wants = createMessageMatcher(filter, clock.now(), { subjects, rows: by.rows }) ?? (() => true);
    const all = { ...by, stream, wants };
    if (stream !== null) {
      return {
        ...all,
        read: (signal) => readStored({ stream, from, to }, { durable, messages: stored.messages }, signal),
      };
    }
    if (pattern !== undefined) checkPattern(pattern);
    return { ...all, read: () => readHeard({ pattern, from, to }, { buffer, rest }) };
  }

  return {
    async start(input, signal) {
      if (running.size >= maxRunning)
        throw new VakError(
          'limit-exceeded',
          `${maxRunning} exports are being written already; wait for one, or stop it`,
        );
      const source = sourceOf(input);
      const path = await prompt.chooseSaveFile({ title: 'Export messages', defaultName: defaultName(input, clock) });
      const one = begin(basename(path));
      try {
        const stopped = AbortSignal.any([signal, one.stop.signal]);
        const onStep = (step: Omit<ExportProgress, 'exportId' | 'name'>): void => note(one, step);
        const save = (pieces: AsyncIterable<Uint8Array>): Promise<void> => saveFile(path, pieces);
        const done = await exportMessages({ save, source, input, signal: stopped, onStep }, { subjects, clock, rest });
        return { path, ...done };
      } finally {
        end(one);
      }
    },
    cancel: (exportId) => running.get(exportId)?.stop.abort(),
    state: () => ({ running: [...running.values()].map(({ progress }) => progress) }),
    dispose() {
      for (const { stop } of running.values()) stop.abort();
    },
  };
}
