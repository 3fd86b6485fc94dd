/** Who may do what in this workspace, and until when: the grants that its root has signed. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { FlaskConical, KeyRound, Plus, RefreshCw, ServerCog, TriangleAlert, UserX } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary, SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { useRunAction } from '../../actions/use-registry.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatZone } from '../../ui/format.ts';
import { MiddleText } from '../../ui/middle-text.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { useActions, useSnapshot, useViewState } from '../../workbench.tsx';
import { createGrantActions } from './access-actions.ts';
import { whyNotGrant } from './access-reasons.ts';
import { ExpiryText } from './expiry-text.tsx';
import { keyDoubt, standingOf, standingSummary } from './grant-standing.ts';
import { ListStrip } from './list-strip.tsx';
import { GrantBadge } from './standing-badge.tsx';
import { useAccessDeps } from './use-access-deps.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';
import { useListMoves } from './use-list-moves.ts';
import { useTryOut } from './use-question.ts';

const keyOf = ({ peer }: GrantSummary): string => peer;
const heads = ['Peer', 'State', 'Roles', 'Queues', 'Until', 'Signing key', 'Serial'] as const;

/** Those in whose peer, roles, queues or state the text stands. */
function filterGrants(grants: readonly GrantSummary[], filter: string, nowMs: number): readonly GrantSummary[] {
  const text = filter.trim().toLowerCase();
  if (text === '') return grants;
  const wordsOf = (grant: GrantSummary): string =>
    [grant.peer, standingOf(grant, nowMs), ...grant.roles, ...grant.queues].join(' ').toLowerCase();
  return grants.filter((grant) => wordsOf(grant).includes(text));
}

function Header({ nowMs }: { readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <div role="row" className="grant-columns" aria-rowindex={1}>
      {heads.map((head) => (
        <span key={head} role="columnheader" className={`row-cell grant-${head.split(' ')[0]?.toLowerCase()}`}>
          {head === 'Until' ? `Until (${formatZone(zone, nowMs)})` : head}
        </span>
      ))}
    </div>
  );
}

interface CellsProps {
  readonly grant: GrantSummary;
  readonly isOwn: boolean;
  readonly peers: readonly PeerSummary[];
  readonly nowMs: number;
}

function GrantCells({ grant, isOwn, peers, nowMs }: CellsProps) {
  const { peer, sign, roles, queues, notAfter, serial } = grant;
  const doubt = keyDoubt(grant, peers);
  return (
    <>
      <span role="gridcell" className="row-cell data grant-peer">
        {peer}
        {isOwn && <span className="identity-own">you</span>}
      </span>
      <span role="gridcell" className="row-cell grant-state">
        <GrantBadge standing={standingOf(grant, nowMs)} />
      </span>
      <span role="gridcell" className="row-cell grant-roles" title={roles.join(', ')}>
        {roles.length === 0 ? <span className="dim">–</span> : roles.join(', ')}
      </span>
      <span role="gridcell" className="row-cell data grant-queues" title={queues.join(', ')}>
        {queues.length === 0 ? <span className="dim">–</span> : queues.join(', ')}
      </span>
      <span role="gridcell" className="row-cell grant-until">
        {notAfter === 0 ? (
          <span className="dim">{roles.length === 0 ? '–' : 'no end'}</span>
        ) : (
          <ExpiryText endsAtMs={notAfter * 1000} nowMs={nowMs} isZoneSaid />
        )}
      </span>
      <span
        role="gridcell"
        className="row-cell data grant-signing"
        title={doubt === undefined ? sign : `${sign}: ${doubt}`}
      >
        {doubt !== undefined && <TriangleAlert className="identity-wait" size={13} role="img" aria-label={doubt} />}
        <MiddleText text={sign} />
      </span>
      <span role="gridcell" className="row-cell row-cell-number data grant-serial">
        {serial}
      </span>
    </>
  );
}

/** What is done with the selected one. */
function SelectedBar({
  grant,
  doubt,
}: {
  readonly grant: GrantSummary | undefined;
  readonly doubt: string | undefined;
}) {
  return (
    <div className="identity-bar" role="group" aria-label="The selected grant">
      <span className="identity-bar-name">
        {grant === undefined ? (
          <span className="dim">Select a grant to renew, change or revoke it.</span>
        ) : (
          <>
            <span className="data">{grant.peer}</span>
            {doubt !== undefined && <span className="identity-wait">{doubt}</span>}
          </>
        )}
      </span>
      <ActionButton action="access.try" icon={FlaskConical} label="Try" />
      <ActionButton action="access.change" icon={RefreshCw} label="Renew or change…" />
      <ActionButton action="access.revoke" icon={UserX} label="Revoke…" />
    </div>
  );
}

function RootNote({ self, nowMs }: Pick<GrantsTabProps, 'self' | 'nowMs'>) {
  const reason = whyNotGrant({ connection: useSnapshot('connections.state'), self });
  if (reason !== undefined) return <span className="identity-strip-why">Nothing can be granted here: {reason}</span>;
  const summary = standingSummary(self.workspaceGrants, nowMs);
  return (
    <span className="identity-state" title="The root key of this workspace is held in this profile">
      <KeyRound size={13} aria-hidden="true" />
      root held here{summary === '' ? '' : ` · ${summary}`}
    </span>
  );
}

export interface GrantsTabProps {
  readonly self: SelfSummary;
  readonly peers: readonly PeerSummary[];
  readonly nowMs: number;
}

/** The rows as they are filtered, the selected one, and what its keys do. */
function useGrants({ self, nowMs }: Pick<GrantsTabProps, 'self' | 'nowMs'>) {
  const { workspaceGrants: grants } = self;
  const work = useAccessWork();
  const deps = useAccessDeps();
  const tryOut = useTryOut();
  const run = useRunAction();
  const filter = useAccessWorkState((state) => state.filter);
  const selectedKey = useAccessWorkState((state) => state.selectedGrant);
  const rows = useMemo(
    () =>
      filterGrants(
        [...grants].sort((a, b) => (a.peer < b.peer ? -1 : 1)),
        filter,
        nowMs,
      ),
    [grants, filter, nowMs],
  );
  const grant = rows.find(({ peer }) => peer === selectedKey);
  const onSelect = (peer: string): void => work.select({ selectedGrant: peer });
  const moves = useListMoves({ keys: rows.map(keyOf), selectedKey, onSelect });
  const actions = useMemo(
    () => createGrantActions({ ...deps, tryOut }, { grant, peer: undefined }),
    [deps, tryOut, grant],
  );
  useActions(actions);
  const change = actions.find(({ id }) => id === 'access.change');
  const onOpen = (): void => {
    if (change !== undefined) void run(change);
  };
  return { rows, grant, selectedKey, onSelect, onOpen, moves, filter: filter.trim() };
}

function NoGrants() {
  return (
    <EmptyState
      icon={KeyRound}
      title="No peer has a grant"
      what="A grant says what a peer may do and until when, signed by the root of the workspace. Without one nobody’s signature counts for a role."
      next="Add the card of a peer, then grant it a role."
    >
      <ActionButton action="access.addCard" />
    </EmptyState>
  );
}

interface GrantListProps extends GrantsTabProps, Omit<ReturnType<typeof useGrants>, 'grant' | 'filter'> {}

function GrantList({ self, peers, nowMs, rows, selectedKey, onSelect, onOpen, moves }: GrantListProps) {
  return (
    <div className="row-list-frame grant-table">
      <RowList
        label="Grants by peer"
        className="grant-list"
        rows={rows}
        keyOf={keyOf}
        selectedKey={selectedKey}
        onSelect={onSelect}
        onOpen={onOpen}
        header={<Header nowMs={nowMs} />}
        rowData={(row) => ({ 'data-testid': `grant-${row.peer}`, 'data-standing': standingOf(row, nowMs) })}
        listRef={moves.list}
        data-testid="grant-list"
      >
        {(row) => (
          <span className="grant-columns" role="presentation">
            <GrantCells grant={row} isOwn={row.peer === self.peer} peers={peers} nowMs={nowMs} />
          </span>
        )}
      </RowList>
    </div>
  );
}

export function GrantsTab({ self, peers, nowMs }: GrantsTabProps) {
  const work = useAccessWork();
  const { grant, filter, ...list } = useGrants({ self, nowMs });
  const { rows, moves } = list;
  const count = self.workspaceGrants.length;
  useEffect(() => () => work.select({ filter: '' }), [work]);
  return (
    <div className="identity-list-tab" data-testid="identity-grants">
      <ListStrip
        label="Filter grants by peer, role, queue or state"
        shownCount={rows.length}
        count={count}
        note={<RootNote self={self} nowMs={nowMs} />}
        inputRef={moves.filter}
        onLeave={moves.focusList}
      >
        <ActionButton action="access.export" icon={ServerCog} label="Export…" />
        <ActionButton action="access.grant" icon={Plus} label="Grant…" variant="primary" />
      </ListStrip>
      {count === 0 && <NoGrants />}
      {count > 0 && rows.length === 0 && (
        <p className="identity-none dim">No grant has “{filter}” in its peer, roles, queues or state.</p>
      )}
      {rows.length > 0 && <GrantList {...{ self, peers, nowMs }} {...list} />}
      <SelectedBar grant={grant} doubt={grant && keyDoubt(grant, peers)} />
    </div>
  );
}
