/**
 * Messages as the bytes of an exported file (docs/spec/streams.md V6): NDJSON, CSV, or payloads behind their lengths.
 * Law: bytes of a message and of its payload are never altered; no cell of a table is taken for a formula.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { ExportFormat } from '../../shared/contract/streams-contract.ts';
import { unpackMarks } from '../../shared/protocol/trust-marks.ts';

/** A message as it is exported. */
export interface ExportedMessage {
  /** The stream in which it lies; null: it was heard live. */
  readonly stream: string | null;
  readonly seq: number;
  readonly atMs: number;
  readonly subject: string;
  readonly type: string;
  readonly peer: string | null;
  readonly marks: number;
  /** As it came. */
  readonly bytes: Uint8Array;
  /** What was opened; undefined: it does not open, or is not asked for. */
  readonly payload: Uint8Array | undefined;
  readonly preview: string;
}

export interface ExportForm {
  /** Ending of the file's name, with the dot. */
  readonly ending: string;
  /** What stands before the first message. */
  readonly head: Uint8Array;
  /** Whether payloads have to be opened for it, whatever was asked for. */
  readonly needsPayload: boolean;
  write(message: ExportedMessage): Uint8Array;
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
const timeOf = (ms: number): string => new Date(ms).toISOString();

function ndjsonLine({ stream, seq, atMs, subject, type, peer, marks, bytes, payload }: ExportedMessage): Uint8Array {
  const line = {
    ...{ stream, seq, time: timeOf(atMs), subject, type, peer, ...unpackMarks(marks), size: bytes.length },
    message_base64: base64(bytes),
    ...(payload === undefined ? {} : { payload_base64: base64(payload) }),
  };
  return utf8(`${JSON.stringify(line)}\n`);
}

/** What a spreadsheet would calculate, or a reader take for two cells or lines. */
const formula = /^\s*[=+\-@|%]/;

function cell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = visibleText(value ?? '').replaceAll(/[\r\n\t]/g, ' ');
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

const csvColumns = [
  'stream',
  'seq',
  'time',
  'subject',
  'type',
  'peer',
  'size',
  'seal',
  'signature',
  'refused',
  'preview',
];

function csvLine({ stream, seq, atMs, subject, type, peer, marks, bytes, preview }: ExportedMessage): Uint8Array {
  const { seal, signature, isRefused } = unpackMarks(marks);
  const said = [stream, seq, timeOf(atMs), subject, type, peer, bytes.length, seal, signature];
  return utf8(`${[...said, isRefused ? 'yes' : 'no', preview].map(cell).join(',')}\r\n`);
}

function framed(bytes: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return Buffer.concat([length, bytes]);
}

/** u32be ‖ head as JSON ‖ u32be ‖ bytes. `holds`: `payload`, opened; else the whole `message`, which does not open or is none of ours. */
function rawFrame({ stream, seq, atMs, subject, type, bytes, payload }: ExportedMessage): Uint8Array {
  const head = { stream, seq, time: timeOf(atMs), subject, type, holds: payload === undefined ? 'message' : 'payload' };
  return Buffer.concat([framed(utf8(JSON.stringify(head))), framed(payload ?? bytes)]);
}

const none = new Uint8Array();

/** What each format is. */
export const exportForms: Readonly<Record<ExportFormat, ExportForm>> = {
  ndjson: { ending: '.ndjson', head: none, needsPayload: false, write: ndjsonLine },
  // With the mark by which spreadsheets know UTF-8.
  csv: { ending: '.csv', head: utf8(`\ufeff${csvColumns.join(',')}\r\n`), needsPayload: false, write: csvLine },
  raw: { ending: '.vakraw', head: utf8('vakraw1\n'), needsPayload: true, write: rawFrame },
};
