/** What was found in a chain, each kind under its heading; what there is none of is not there. */
import type { ReactNode } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type {
  ChainFault,
  ChainFork,
  ChainMissing,
  ChainReport,
  ChainRestart,
} from '../../../shared/contract/chain-report.ts';
import { showChain } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatCount, formatDateTime } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import {
  checkpointWords,
  faultWords,
  missingWords,
  placesWords,
  rangeWords,
  restartWords,
  tailWords,
} from './chain-words.ts';

interface SectionProps {
  readonly title: string;
  readonly count: number;
  readonly testId: string;
  readonly children: ReactNode;
}

function Section({ title, count, testId, children }: SectionProps) {
  if (count === 0) return null;
  return (
    <section className="chain-section" aria-label={title} data-testid={testId}>
      <h3 className="detail-heading">
        {title} <span className="dim data">{formatCount(count)}</span>
      </h3>
      {children}
    </section>
  );
}

function Fault({ fault }: { readonly fault: ChainFault }) {
  return (
    <div className="chain-finding">
      <p>
        <strong className="data">{formatCount(fault.seq)}</strong> {faultWords(fault)}
      </p>
      <DetailFacts>
        <CopyFact name="expected" value={fault.expected} copyName={`expected hash of place ${fault.seq}`} />
        <CopyFact name="found" value={fault.found} copyName={`found hash of place ${fault.seq}`} isWrong />
        <CopyFact name="envelope" value={fault.id} copyName={`id of the envelope at place ${fault.seq}`} />
      </DetailFacts>
    </div>
  );
}

function Fork({ fork }: { readonly fork: ChainFork }) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <div className="chain-finding">
      <p>
        <strong className="data">{formatCount(fork.seq)}</strong> {formatCount(fork.sides.length)} envelopes stand
        there, each soundly signed: the sender ran twice, or its key is in two hands
      </p>
      <div className="chain-sides">
        {fork.sides.map((side, at) => (
          <DetailFacts key={side.leaf} title={`Side ${at + 1}`}>
            <CopyFact name="leaf" value={side.leaf} copyName={`leaf of side ${at + 1} at ${fork.seq}`} />
            <CopyFact name="prevhash" value={side.prevhash} copyName={`prevhash of side ${at + 1} at ${fork.seq}`} />
            <CopyFact name="envelope" value={side.id} copyName={`id of side ${at + 1} at ${fork.seq}`} />
            <DetailFact name="type">{side.type}</DetailFact>
            <DetailFact name="stored">{formatDateTime(side.storedMs, zone)}</DetailFact>
            <DetailFact name="in">
              {side.stream} #{formatCount(side.streamSeq)}
            </DetailFact>
            <CopyFact name="signer" value={side.signer} copyName={`signer of side ${at + 1} at ${fork.seq}`} />
          </DetailFacts>
        ))}
      </div>
    </div>
  );
}

function Missing({ missing, report }: { readonly missing: ChainMissing; readonly report: ChainReport }) {
  return (
    <li>
      <span className="data">{rangeWords(missing)}</span> · {placesWords(missing.toSeq - missing.fromSeq + 1)}{' '}
      <span className="dim">{tailWords(missing) || missingWords(report).words}</span>
    </li>
  );
}

function Checkpoints({ checkpoints, kind }: Pick<ChainReport, 'checkpoints' | 'kind'>) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <table className="chain-table">
      <thead>
        <tr>
          <th className="chain-number">Place</th>
          <th>Head</th>
          <th>Made</th>
          <th>Stored</th>
          <th>Signer</th>
          <th>State</th>
        </tr>
      </thead>
      <tbody className="data">
        {checkpoints.toReversed().map(({ seq, head, atMs, storedMs, peer, signer, state, why }) => {
          const { tone, words } = checkpointWords(state, kind);
          return (
            <tr key={`${seq} ${head} ${storedMs}`} data-state={state}>
              <td className="chain-number">{formatCount(seq)}</td>
              <td className="chain-hash">
                <MiddleText text={head} />
              </td>
              <td>{formatDateTime(atMs, zone)}</td>
              <td>{formatDateTime(storedMs, zone)}</td>
              <td className="chain-hash" title={signer ?? undefined}>
                {peer}
              </td>
              <td className={`tone-${tone}`}>
                {words}
                {why !== null && <span className="dim"> {why}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Restart({ restart, isBefore }: { readonly restart: ChainRestart; readonly isBefore: boolean }) {
  const { view } = useWorkbench();
  const { tone, words } = restartWords(restart);
  return (
    <li className="chain-restart">
      <span>
        {isBefore ? 'goes on after' : 'is followed by'} <span className="data">{visibleText(restart.source)}</span>
        {isBefore ? ', from its place ' : ', which names place '}
        <span className="data">{formatCount(restart.seq)}</span> · <span className={`tone-${tone}`}>{words}</span>
      </span>
      <Button aria-label={`Show the chain of ${restart.source}`} onClick={() => showChain(view, restart.source)}>
        Show
      </Button>
    </li>
  );
}

export function ChainFindings({ report }: { readonly report: ChainReport }) {
  const { faults, forks, missing, missingCount, voids, checkpoints, resumes, resumedBy, refused } = report;
  const zone = useViewState((state) => state.timeZone);
  return (
    <>
      <Section title="Bad links" count={faults.length} testId="chain-faults">
        {faults.map((fault) => (
          <Fault key={`${fault.kind} ${fault.seq} ${fault.found}`} fault={fault} />
        ))}
      </Section>
      <Section title="Forks" count={forks.length} testId="chain-forks">
        {forks.map((fork) => (
          <Fork key={fork.seq} fork={fork} />
        ))}
      </Section>
      <Section title="Missing places" count={missingCount} testId="chain-missing">
        <ul>
          {missing.map((one) => (
            <Missing key={one.fromSeq} missing={one} report={report} />
          ))}
        </ul>
      </Section>
      <Section title="Declared void" count={voids.length} testId="chain-voids">
        <ul>
          {voids.map(({ seq, reason }) => (
            <li key={seq}>
              <span className="data">{formatCount(seq)}</span> refused for good: {reason}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Checkpoints" count={checkpoints.length} testId="chain-checkpoints">
        <Checkpoints checkpoints={checkpoints} kind={report.kind} />
      </Section>
      <Section title="Restarts" count={resumedBy.length + (resumes === null ? 0 : 1)} testId="chain-restarts">
        <ul>
          {resumes !== null && <Restart restart={resumes} isBefore />}
          {resumedBy.map((one) => (
            <Restart key={`${one.source} ${one.seq}`} restart={one} isBefore={false} />
          ))}
        </ul>
      </Section>
      <Section title="What does not count" count={refused.length} testId="chain-refused">
        <ul>
          {refused.map(({ seq, id, storedMs, why }) => (
            <li key={`${id} ${storedMs}`}>
              <span className="data">{formatCount(seq)}</span> {formatDateTime(storedMs, zone)}{' '}
              <span className="dim">{why}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
