/**
 * Rows of the table of settings that bound what is kept: by streams of our own engines, and in the app's memory.
 * Law: a stream keeps no more than protocol.md §1 says of it, and what only the protocol may empty has no row.
 */

/** When another value counts: at once if left out. `next-connection`: when a connection is opened the next time. */
export type Applies = 'next-connection' | 'next-start';

interface Bounds {
  readonly key: string;
  readonly least: number;
  readonly most: number;
  readonly unit: string;
  readonly fallback: number;
  readonly help: string;
  readonly applies?: Applies;
}

function limitRow({ least, most, unit, applies, ...row }: Bounds) {
  return {
    ...row,
    type: 'integer' as const,
    allowed: `${least} to ${most} ${unit}`,
    isBus: false,
    ...(applies === undefined ? {} : { applies }),
    accepts: (value: unknown): boolean =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

const applies = 'next-connection';
const days = { least: 1, most: 90, unit: 'days', fallback: 90, applies } as const;
const mebibytes = { least: 16, most: 1024, unit: 'MiB', fallback: 1024, applies } as const;

/** What the streams keep that the operator may bound closer than §1: `<kind>Days`, `<kind>MiB`. */
const retentionRows = [
  { ...mebibytes, key: 'retention.workMiB', help: 'tasks that wait; when it is full, new ones are refused' },
  { ...days, key: 'retention.receiptsDays', help: 'receipts; without its receipt a task that is gone counts as lost' },
  { ...mebibytes, key: 'retention.receiptsMiB', help: 'receipts; when it is full, the oldest go' },
  { ...days, key: 'retention.approvalsDays', help: 'requests for approval and their verdicts' },
  { ...mebibytes, key: 'retention.approvalsMiB', help: 'requests and verdicts; when it is full, the oldest go' },
  { ...days, key: 'retention.deadLettersDays', help: 'dead letters; what is older is gone for good' },
  {
    ...{ ...mebibytes, key: 'retention.deadLettersMiB' },
    help: 'dead letters; when it is full, new ones wait with their tasks',
  },
] as const;

const memoryRows = [
  {
    ...{ key: 'memory.bufferMessages', least: 1024, most: 1_048_576, unit: 'messages', fallback: 65_536 },
    ...{ help: 'messages that the app holds for Streams; the oldest give way', applies: 'next-start' },
  },
  {
    ...{ key: 'memory.bufferMiB', least: 8, most: 1024, unit: 'MiB', fallback: 64 },
    ...{ help: 'memory for those messages; whichever bound is met first counts', applies: 'next-start' },
  },
  {
    ...{ key: 'memory.terminalLines', least: 100, most: 100_000, unit: 'lines', fallback: 10_000 },
    ...{ help: 'lines of a terminal above those on the screen; about 1 KiB each when it is full' },
  },
  {
    ...{ key: 'memory.telemetryMinutes', least: 1, most: 60, unit: 'minutes', fallback: 10 },
    ...{ help: 'time that the charts of a session reach back; about 3 KiB a minute' },
  },
] as const;

export const limitRows = [...retentionRows, ...memoryRows].map(limitRow);
