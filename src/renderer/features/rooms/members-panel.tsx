/** Who is in a room and who is invited: kind, role, how far the key is known, last seen, and why somebody lacks the present key. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { Bot, Cpu, Crown, RotateCw, Shield, ShieldAlert, ShieldCheck, User, UserPlus, X } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMemberReport, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useActions, useSnapshot, useViewState } from '../../workbench.tsx';
import { createMemberActions } from './member-actions.ts';
import { kindOf, memberTrust, memberWords, sortMembers } from './room-words.ts';
import type { Members } from './use-members.ts';
import { useRoomActionsDeps, useRoomWork, useRoomWorkState } from './use-room-work.ts';

const kindIcons = { human: User, bot: Bot, process: Cpu } as const;
const keyOf = ({ sign }: RoomMemberReport): string => sign;
const nameOf = ({ peer }: RoomMemberReport): string => peer;

function TrustMark({ member }: { readonly member: RoomMemberReport }) {
  const me = useSnapshot('rooms.state')?.me?.sign;
  const { peerState: state, sign } = member;
  if (state === null || state === 'pinned') return null;
  const { word, tone, meaning } = memberTrust(state, sign === me);
  const Icon = tone === 'bad' ? ShieldAlert : ShieldCheck;
  return (
    <span className={`member-mark ${tone === 'quiet' ? 'dim' : `tone-${tone}`}`} title={meaning}>
      {state !== 'own' && <Icon size={13} aria-hidden="true" />}
      {word}
    </span>
  );
}

function MemberCells({ member, nowMs }: { readonly member: RoomMemberReport; readonly nowMs: number }) {
  const { peer, name, role, isInvited, kind, lastSeenMs, withheldWhy } = member;
  const Icon = kind === null ? User : kindIcons[kind];
  return (
    <span role="gridcell" className="member-row">
      <Icon size={14} className="dim" aria-hidden="true" />
      <span className="member-name" title={name === null ? undefined : visibleText(name)}>
        {visibleText(peer)}
        {role === 'owner' && <Crown size={13} className="dim" aria-label="owner" role="img" />}
        {role === 'moderator' && <Shield size={13} className="dim" aria-label="moderator" role="img" />}
        {member.isAgent && <span className="tag">agent</span>}
      </span>
      <TrustMark member={member} />
      <span className={`member-line ${withheldWhy === null ? 'dim' : 'tone-wait'}`}>
        {withheldWhy !== null ? 'has not got the key' : isInvited ? 'invited' : kindOf(member)}
      </span>
      <span className="member-seen dim">
        {lastSeenMs === null ? '' : formatRelative(Math.min(lastSeenMs, nowMs), nowMs)}
      </span>
    </span>
  );
}

function MemberDetail({ member, nowMs }: { readonly member: RoomMemberReport; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const me = useSnapshot('rooms.state')?.me?.sign;
  const { peer, name, role, sign, lastSeenMs, withheldWhy, peerState } = member;
  return (
    <section className="member-detail" aria-label="The selected member" data-testid="member-detail">
      {withheldWhy !== null && <p className="tone-wait">It has not got the present key: {visibleText(withheldWhy)}</p>}
      <DetailFacts>
        <CopyFact name="peer" value={peer} />
        <DetailFact name="name">
          {name === null ? <span className="dim">no card yet</span> : visibleText(name)}
        </DetailFact>
        <DetailFact name="kind">{kindOf(member)}</DetailFact>
        <DetailFact name="role">{member.isInvited ? `invited as ${role}` : role}</DetailFact>
        <CopyFact name="signing key" value={sign} />
        <DetailFact name="trust">
          {peerState === null ? 'no card yet' : memberTrust(peerState, sign === me).word}
        </DetailFact>
        <DetailFact name="last seen">
          {lastSeenMs === null ? (
            <span className="dim">not known</span>
          ) : (
            <>
              {formatDateTime(lastSeenMs, zone).replace(/\.\d{3}/, '')}{' '}
              <span className="dim">· {formatRelative(Math.min(lastSeenMs, nowMs), nowMs)}</span>
            </>
          )}
        </DetailFact>
      </DetailFacts>
      <div className="member-actions">
        <ActionButton action="rooms.safety" label="Safety number" />
        <ActionButton action="rooms.role" label="Role…" />
        <ActionButton
          action="rooms.kick"
          variant="danger"
          label={member.isInvited ? 'Take the invitation back…' : 'Remove…'}
        />
      </div>
    </section>
  );
}

export interface MembersPanelProps {
  readonly room: RoomSummary;
  readonly members: Members;
  readonly onClose: () => void;
}

export function MembersPanel({ room, members, onClose }: MembersPanelProps) {
  const { answer, error } = members;
  const work = useRoomWork();
  const deps = useRoomActionsDeps();
  const listRef = useRef<HTMLDivElement>(null);
  const nowMs = Math.floor(useNow() / 1000) * 1000;
  const selected = useRoomWorkState((state) => state.selectedMember);
  const rows = useMemo(() => sortMembers(answer?.members ?? []), [answer]);
  const member = rows.find(({ sign }) => sign === selected);
  useActions(useMemo(() => createMemberActions(deps, member), [deps, member]));
  return (
    <>
      <header className="side-head">
        <h2>Members</h2>
        <p className="dim">{memberWords(room.memberCount)}</p>
        <IconButton icon={X} label="Close the members" onClick={onClose} />
      </header>
      <div className="side-strip">
        <ActionButton action="rooms.invite" icon={UserPlus} label="Invite…" />
        <ActionButton action="rooms.rotate" icon={RotateCw} label="New key" />
      </div>
      {error !== undefined && (
        <div className="rooms-note">
          <ErrorNotice report={describeError('Read the members', error)} />
        </div>
      )}
      {answer === undefined && error === undefined && <p className="rooms-note dim late">Reading the members…</p>}
      <div className="row-list-frame">
        <RowList
          label="Members, those who lack the key first"
          className="member-list"
          rows={rows}
          keyOf={keyOf}
          nameOf={nameOf}
          rowPx={44}
          selectedKey={selected}
          onSelect={(selectedMember) => work.set({ selectedMember })}
          listRef={listRef}
          data-testid="member-list"
        >
          {(row) => <MemberCells member={row} nowMs={nowMs} />}
        </RowList>
      </div>
      {member !== undefined && <MemberDetail member={member} nowMs={nowMs} />}
    </>
  );
}
