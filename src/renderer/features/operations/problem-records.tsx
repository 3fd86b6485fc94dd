/** The records that a problem is about and that no other list has: where each lies, of whom it comes, why it does not count. */
import { formatCount, formatDateTime, formatZone } from '../../ui/format.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { openPlace } from './problem-places.ts';
import type { Problem } from './problems.ts';

type Record = NonNullable<Problem['incident']>['records'][number];

/** Of a receipt its subject names a session, which can be looked into. */
const isOfSession = ({ stream }: Record): boolean => stream.startsWith('VAK_RECEIPTS_');

function From({ record }: { readonly record: Record }) {
  const { view } = useWorkbench();
  const { from } = record;
  if (!isOfSession(record))
    return (
      <span className="data" title={from}>
        {from}
      </span>
    );
  return (
    <button
      type="button"
      className="problem-member-open data"
      title={`Open session ${from}`}
      onClick={() => openPlace(view, { kind: 'session', session: from })}
    >
      {from}
    </button>
  );
}

export interface ProblemRecordsProps {
  readonly label: string;
  readonly records: readonly Record[];
  /** How many there are altogether. */
  readonly count: number;
}

export function ProblemRecords({ label, records, count }: ProblemRecordsProps) {
  const zone = useViewState((state) => state.timeZone);
  const isCut = records.length < count;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys.
    <section className="problem-records" aria-label={label} tabIndex={0} data-testid="problem-records">
      <table>
        <thead>
          <tr>
            <th scope="col">Stream</th>
            <th scope="col" className="problem-record-seq">
              Place
            </th>
            <th scope="col">Stored, {formatZone(zone, records[0]?.atMs ?? 0)}</th>
            <th scope="col">From</th>
            <th scope="col">Why it does not count</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={`${record.stream} ${record.seq}`} data-testid="problem-record">
              <td className="data" title={record.stream}>
                {record.stream}
              </td>
              <td className="data problem-record-seq">{formatCount(record.seq)}</td>
              <td className="data" title={formatDateTime(record.atMs, zone)}>
                {formatDateTime(record.atMs, zone).slice(0, 19)}
              </td>
              <td>
                <From record={record} />
              </td>
              <td>{record.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="dim">
        {isCut && `The latest ${formatCount(records.length)} of ${formatCount(count)}. `}
        vak stream get STREAM --seq PLACE prints one whole.
      </p>
    </section>
  );
}
