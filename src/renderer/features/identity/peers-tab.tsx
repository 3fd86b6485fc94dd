/** Whose keys are known here: pinned at first sight, compared, changed, blocked (protocol.md I2). */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { BadgeCheck, IdCard } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeerSummary, PeersState } from '../../../shared/contract/access-contract.ts';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount, formatDateTime, formatZone } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { createPeerActions } from './access-actions.ts';
import { ListStrip } from './list-strip.tsx';
import { PeerDetail } from './peer-detail.tsx';
import { peersSummary, peerWords, sortPeers } from './peer-words.ts';
import { PeerBadge } from './standing-badge.tsx';
import { useAccessDeps } from './use-access-deps.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';
import { useListMoves } from './use-list-moves.ts';

const keyOf = ({ peer }: PeerSummary): string => peer;
const detailBounds = { initialPx: 420, minPx: 360, maxPx: 720 };

function filterPeers(peers: readonly PeerSummary[], filter: string): readonly PeerSummary[] {
  const text = filter.trim().toLowerCase();
  if (text === '') return peers;
  return peers.filter(({ peer, name, kind, state, sign }) =>
    `${peer} ${name} ${kind} ${peerWords[state].word} ${sign}`.toLowerCase().includes(text),
  );
}

function Header({ nowMs }: { readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const heads = ['Peer', 'Name', 'Kind', 'State', 'Signing key', `First seen (${formatZone(zone, nowMs)})`];
  return (
    <div role="row" className="peer-columns" aria-rowindex={1}>
      {heads.map((head) => (
        <span key={head} role="columnheader" className={`row-cell peer-${head.split(' ')[0]?.toLowerCase()}`}>
          {head}
        </span>
      ))}
    </div>
  );
}

function PeerCells({ peer }: { readonly peer: PeerSummary }) {
  const zone = useViewState((state) => state.timeZone);
  const { firstSeenMs } = peer;
  return (
    <>
      <span role="gridcell" className="row-cell data">
        {peer.peer}
      </span>
      <span role="gridcell" className="row-cell peer-name">
        {visibleText(peer.name)}
      </span>
      <span role="gridcell" className="row-cell peer-kind">
        {peer.kind}
        {peer.agent ? ', agent' : ''}
      </span>
      <span role="gridcell" className="row-cell">
        <PeerBadge state={peer.state} />
      </span>
      <span role="gridcell" className="row-cell data peer-signing">
        <MiddleText text={peer.sign} />
      </span>
      <span role="gridcell" className="row-cell data peer-first">
        {firstSeenMs === null ? (
          <span className="dim">–</span>
        ) : (
          formatDateTime(firstSeenMs, zone).replace(/\.\d{3} .*/, '')
        )}
      </span>
    </>
  );
}

function NoOthers() {
  return (
    <EmptyState
      icon={IdCard}
      title="No other peer is known"
      what="A peer is known by its card, which names its keys. The signing key of the first card is pinned: a later card with another one is told, and nothing is sent until you accept it."
      next="Ask for the card of a peer, and hand it yours."
    >
      <ActionButton action="access.addCard" variant="primary" />
      <ActionButton action="access.copyCard" />
    </EmptyState>
  );
}

export interface PeersTabProps {
  readonly state: PeersState;
  readonly self: SelfSummary;
  readonly nowMs: number;
}

/** The rows as they are filtered, the selected one with its grant, and what its keys do. */
function usePeers({ state, self }: Pick<PeersTabProps, 'state' | 'self'>) {
  const { peers } = state;
  const work = useAccessWork();
  const deps = useAccessDeps();
  const filter = useAccessWorkState((one) => one.filter);
  const selectedKey = useAccessWorkState((one) => one.selectedPeer);
  const rows = useMemo(() => filterPeers(sortPeers(peers), filter), [peers, filter]);
  const peer = rows.find((one) => one.peer === selectedKey);
  const grant = self.workspaceGrants.find((one) => one.peer === selectedKey);
  const onSelect = (selectedPeer: string): void => work.select({ selectedPeer });
  const moves = useListMoves({ keys: rows.map(keyOf), selectedKey, onSelect });
  useActions(useMemo(() => createPeerActions(deps, { peer, grant }), [deps, peer, grant]));
  const onOpen = (): void => work.select({ isPeerOpen: true });
  return { rows, peer, grant, selectedKey, onSelect, onOpen, moves, filter: filter.trim() };
}

interface PeerListProps
  extends Pick<ReturnType<typeof usePeers>, 'rows' | 'selectedKey' | 'onSelect' | 'onOpen' | 'moves'> {
  readonly nowMs: number;
  /** Nobody else is known: it takes no more room than it needs. */
  readonly isOwn: boolean;
}

function PeerList({ rows, selectedKey, onSelect, onOpen, moves, nowMs, isOwn }: PeerListProps) {
  const work = useAccessWork();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || !work.store.getState().isPeerOpen) return;
    event.preventDefault();
    work.select({ isPeerOpen: false });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the list inside; Esc closes the panel beside it.
    <div className={`row-list-frame peer-table${isOwn ? ' peer-table-own' : ''}`} onKeyDown={onKeyDown}>
      <RowList
        label="Peers, those that need somebody first"
        className="peer-list"
        rows={rows}
        keyOf={keyOf}
        selectedKey={selectedKey}
        onSelect={onSelect}
        onPick={onOpen}
        onOpen={onOpen}
        header={<Header nowMs={nowMs} />}
        rowData={(row) => ({ 'data-testid': `peer-${row.peer}`, 'data-state': row.state })}
        listRef={moves.list}
        data-testid="peer-list"
      >
        {(row) => (
          <span className="peer-columns" role="presentation">
            <PeerCells peer={row} />
          </span>
        )}
      </RowList>
    </div>
  );
}

interface DetailPlaceProps extends Pick<ReturnType<typeof usePeers>, 'peer' | 'grant' | 'moves'> {
  readonly nowMs: number;
}

/** The selected peer beside the list, while it is open. */
function DetailPlace({ peer, grant, moves, nowMs }: DetailPlaceProps) {
  const work = useAccessWork();
  const isOpen = useAccessWorkState((one) => one.isPeerOpen);
  if (!isOpen || peer === undefined) return null;
  const close = (): void => {
    work.select({ isPeerOpen: false });
    moves.focusList();
  };
  return (
    <SidePanel label="Peer" sizeName="identity.peer" bounds={detailBounds} onClose={close} data-testid="peer-detail">
      <PeerDetail {...{ peer, grant, nowMs }} onClose={close} />
    </SidePanel>
  );
}

/** Opens the peer that another view asked for. */
function useWantedPeer(): void {
  const { view } = useWorkbench();
  const work = useAccessWork();
  const wanted = useViewState((state) => (state.wanted?.kind === 'peer' ? state.wanted : null));
  useEffect(() => {
    if (wanted === null) return;
    view.setState({ wanted: null });
    work.select({ selectedPeer: wanted.peer, isPeerOpen: true, filter: '' });
  }, [view, work, wanted]);
}

export function PeersTab({ state, self, nowMs }: PeersTabProps) {
  const { peers, leftOutCount } = state;
  const work = useAccessWork();
  const { peer, grant, filter, ...list } = usePeers({ state, self });
  const { rows, moves } = list;
  useWantedPeer();
  useEffect(() => () => work.select({ filter: '' }), [work]);
  const isOwn = peers.every((one) => one.state === 'own');
  const note = leftOutCount === 0 ? peersSummary(peers) : `${formatCount(leftOutCount)} more are not listed`;
  return (
    <div className="identity-list-tab identity-peers" data-testid="identity-peers">
      <div className="identity-list-main">
        <ListStrip
          label="Filter peers by name, state or key"
          shownCount={rows.length}
          count={peers.length}
          note={note}
          inputRef={moves.filter}
          onLeave={moves.focusList}
        >
          <ActionButton
            action="access.addCard"
            icon={BadgeCheck}
            label="Add a card…"
            variant={isOwn ? 'plain' : 'primary'}
          />
        </ListStrip>
        {rows.length > 0 && <PeerList {...list} {...{ nowMs, isOwn }} />}
        {rows.length === 0 && filter !== '' && (
          <p className="identity-none dim">No peer has “{filter}” in its name, state or key.</p>
        )}
        {isOwn && filter === '' && <NoOthers />}
      </div>
      <DetailPlace {...{ peer, grant, moves, nowMs }} />
    </div>
  );
}
