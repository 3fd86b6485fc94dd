/** Chains within the Trace view: the sources at the left, what the streams hold of the chosen one's chain beside them. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { Link2 } from 'lucide-react';
import { useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ChainSource } from '../../../shared/contract/chain-report.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { Reading } from '../../ui/view-states.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { ChainPage } from './chain-page.tsx';
import { kindWords, sourceName } from './chain-words.ts';
import { useChainState, useChainWork, useShownChain } from './use-chains.ts';
import './chains-page.css';

const keyOf = ({ source }: ChainSource): string => source;
const nameOf = (one: ChainSource): string => visibleText(sourceName(one));

function Header() {
  const zone = useViewState((state) => state.timeZone);
  const readAtMs = useChainState(({ sources }) => sources?.readAtMs ?? 0);
  return (
    <div role="row" className="chains-head">
      <span role="columnheader">Session</span>
      <span role="columnheader" className="chains-number">
        Envelopes
      </span>
      <span role="columnheader">Last {formatZone(zone, readAtMs)}</span>
    </div>
  );
}

function SourceRows({ rows }: { readonly rows: readonly ChainSource[] }) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const selected = useViewState((state) => state.selectedChain);
  const list = useRef<HTMLDivElement>(null);
  return (
    <RowList
      label="Sources, the newest first"
      rows={rows}
      keyOf={keyOf}
      nameOf={nameOf}
      selectedKey={selected ?? undefined}
      onSelect={(selectedChain) => view.setState({ selectedChain })}
      header={<Header />}
      className="chains-rows"
      listRef={list}
      main={{ group: 'Trace', noun: 'source' }}
      data-testid="chains-rows"
    >
      {(row) => (
        <>
          <span
            role="gridcell"
            className="chains-name data"
            title={`${visibleText(row.source)}${row.kind === null ? '' : `, ${kindWords[row.kind]}`}`}
          >
            <MiddleText text={nameOf(row)} />
          </span>
          <span role="gridcell" className="chains-number data">
            {formatCount(row.count)}
          </span>
          <span role="gridcell" className="data">
            {formatTimeOfDay(row.lastMs, zone)}
          </span>
        </>
      )}
    </RowList>
  );
}

function NoSources() {
  return (
    <EmptyState
      icon={Link2}
      title="No source is here"
      what="A source is one run of a peer; everything that it publishes is linked to what it published before. Nothing that is stored has such a link."
      next="Start the local swarm and give it a task, or look again when a peer has published."
    />
  );
}

function Sources() {
  const work = useChainWork();
  const sources = useChainState((state) => state.sources);
  const problem = useChainState((state) => state.listProblem);
  if (problem !== null && sources === null)
    return (
      <div className="view-note">
        <ErrorNotice report={problem}>
          <Button onClick={() => void work.list()}>Try again</Button>
        </ErrorNotice>
      </div>
    );
  if (sources === null) return <Reading words="Looking through the streams…" />;
  if (sources.sources.length === 0) return <NoSources />;
  return (
    <>
      <SourceRows rows={sources.sources} />
      {sources.leftOutCount > 0 && (
        <p className="chains-more dim">{formatCount(sources.leftOutCount)} older sources are not shown.</p>
      )}
    </>
  );
}

export function ChainsPage() {
  useShownChain();
  return (
    <div className="chains">
      <nav className="chains-sources" aria-label="Sources">
        <Sources />
      </nav>
      <ChainPage />
    </div>
  );
}
