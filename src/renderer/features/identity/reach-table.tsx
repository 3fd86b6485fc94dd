/** What else the roles reach: every pattern that they publish or subscribe to, and every place; what touches the question is marked. */
import { Ban, Check, CircleDot } from 'lucide-react';
import { useState } from 'react';
import type { ReachedPattern, ReachedPlace } from '../../../shared/protocol/acl-reach.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { formatCount } from '../../ui/format.ts';

type Shown = 'publish' | 'subscribe' | 'places';

interface RowProps {
  readonly reached: ReachedPattern;
  /** Name of the rule that decided. */
  readonly deciding: string | undefined;
}

/** Whether it decides, touches the question, or has nothing to do with it. */
function Mark({ reached: { isTouched, rule }, deciding }: RowProps) {
  if (rule === deciding) {
    return (
      <span className="identity-state reach-decides">
        <CircleDot size={13} aria-hidden="true" />
        decides
      </span>
    );
  }
  return isTouched ? <span className="reach-touches">overlaps</span> : <span className="dim">–</span>;
}

function PatternRow({ reached, deciding }: RowProps) {
  const { effect, pattern, rule, missing, isTouched } = reached;
  const isDeny = effect === 'deny';
  return (
    <tr data-touched={isTouched} data-decides={rule === deciding}>
      <td>
        <Mark reached={reached} deciding={deciding} />
      </td>
      <td>
        <span className={`identity-state ${isDeny ? 'identity-bad' : ''}`}>
          {isDeny ? (
            <Ban size={13} aria-hidden="true" />
          ) : (
            <Check className="identity-ok" size={13} aria-hidden="true" />
          )}
          {isDeny ? 'denied' : 'allowed'}
        </span>
      </td>
      <th scope="row" className="data">
        {pattern}
      </th>
      <td title={rule}>
        {rule}
        {missing.length > 0 && <span className="dim"> · needs a {missing.join(' and a ')}</span>}
      </td>
    </tr>
  );
}

function Patterns({
  rows,
  deciding,
}: {
  readonly rows: readonly ReachedPattern[];
  readonly deciding: string | undefined;
}) {
  if (rows.length === 0) return <p className="panel-note">Nothing: none of its roles has a rule for this.</p>;
  return (
    <table className="identity-table reach-table" data-testid="reach-table">
      <thead>
        <tr>
          <th scope="col">The question</th>
          <th scope="col">Effect</th>
          <th scope="col">Subjects</th>
          <th scope="col">Rule</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((reached) => (
          <PatternRow key={`${reached.role} ${reached.rule} ${reached.pattern}`} {...{ reached, deciding }} />
        ))}
      </tbody>
    </table>
  );
}

function Places({ places }: { readonly places: readonly ReachedPlace[] }) {
  if (places.length === 0) return <p className="panel-note">Nothing: its roles have no right on streams or buckets.</p>;
  return (
    <table className="identity-table reach-table" data-testid="place-table">
      <thead>
        <tr>
          <th scope="col">Stream, consumer or bucket</th>
          <th scope="col">May</th>
        </tr>
      </thead>
      <tbody>
        {places.map(({ place, actions }) => (
          <tr key={place}>
            <th scope="row" className="data">
              {place}
            </th>
            <td title={actions.join(', ')}>{actions.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export interface ReachTableProps {
  readonly reach: readonly ReachedPattern[];
  readonly places: readonly ReachedPlace[];
  readonly deciding: string | undefined;
}

export function ReachTable({ reach, places, deciding }: ReachTableProps) {
  const [shown, setShown] = useState<Shown | 'touched'>('publish');
  const of = (action: 'publish' | 'subscribe') => reach.filter((one) => one.action === action);
  const touched = reach.filter(({ isTouched }) => isTouched);
  const rows = shown === 'touched' ? touched : shown === 'places' ? [] : of(shown);
  const title = (word: string, count: number): string => `${word} ${formatCount(count)}`;
  return (
    <section className="reach" aria-label="What else it reaches">
      <header className="reach-head">
        <h2>What else it reaches</h2>
        <ChoiceSwitch
          label="What is listed"
          testId="reach"
          chosen={shown}
          onChoose={setShown}
          choices={[
            { id: 'publish', title: title('Publishes', of('publish').length) },
            { id: 'subscribe', title: title('Subscribes', of('subscribe').length) },
            { id: 'places', title: title('Streams & buckets', places.length) },
            { id: 'touched', title: title('Overlaps', touched.length) },
          ]}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="reach-scroll" tabIndex={0} role="region" aria-label="Its rights">
        {shown === 'places' ? <Places places={places} /> : <Patterns rows={rows} deciding={deciding} />}
      </div>
    </section>
  );
}
