/** What people had to do with a session up to the cursor: approvals that it asked for, and where its peer was named in a room. */
import { AtSign, ClipboardCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ApprovalReport } from '../../../shared/contract/approvals-contract.ts';
import type { RoomHit } from '../../../shared/contract/rooms-contract.ts';
import { showApprovals, showRoom } from '../../state/view-store.ts';
import { describeError } from '../../ui/describe-error.ts';
import { formatTimeOfDay } from '../../ui/format.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';

/** Most mentions that are listed. */
const mentionLimit = 20;

type Mentions = { readonly hits: readonly RoomHit[]; readonly problem?: string };

/** The newest mentions of a peer in this operator's rooms; asked for anew when a room has news. */
function useMentions(peer: string | null): Mentions {
  const { client } = useWorkbench();
  const rooms = useSnapshot('rooms.state');
  const [found, setFound] = useState<Mentions>({ hits: [] });
  const hasRooms = (rooms?.rooms.length ?? 0) > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each state of the rooms may hold another mention.
  useEffect(() => {
    if (peer === null || !hasRooms) return;
    const calls = new AbortController();
    client.rooms.search({ text: peer, limit: mentionLimit }, { signal: calls.signal }).then(
      ({ hits }) => setFound({ hits: hits.filter(({ line }) => line.includes(`@${peer}`)) }),
      (error: unknown) => {
        if (!calls.signal.aborted) setFound({ hits: [], problem: describeError('Find mentions', error).why });
      },
    );
    return () => calls.abort();
  }, [client, peer, hasRooms, rooms]);
  return found;
}

/** As it stood at the cursor: not yet asked for, waiting, or answered. */
function standingAt({ askedMs, verdict, state }: ApprovalReport, atMs: number | undefined): string | undefined {
  if (atMs === undefined) return state;
  if (askedMs > atMs) return undefined;
  return verdict === null || verdict.atMs > atMs ? 'pending' : state;
}

interface LineProps {
  readonly icon: ReactNode;
  readonly atMs: number;
  readonly word: string;
  readonly text: string;
  readonly onOpen: () => void;
}

function Line({ icon, atMs, word, text, onOpen }: LineProps) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <li className="session-task" data-testid="session-around">
      {icon}
      <span className="data dim">{formatTimeOfDay(atMs, zone)}</span>
      <span>{word}</span>
      <button type="button" className="session-task-title session-around-open" title={text} onClick={onOpen}>
        {text}
      </button>
    </li>
  );
}

export interface SessionAroundProps {
  readonly session: string;
  readonly cursorMs: number | undefined;
}

export function SessionAround({ session, cursorMs }: SessionAroundProps) {
  const { view } = useWorkbench();
  const peer = useSnapshot('sessions.list')?.sessions.find((one) => one.session === session)?.peer ?? null;
  const approvals = useSnapshot('approvals.state');
  const { hits, problem } = useMentions(peer);
  const asked = [...(approvals?.pending ?? []), ...(approvals?.past ?? [])].filter((one) => one.session === session);
  const shown = asked.flatMap((one) => {
    const standing = standingAt(one, cursorMs);
    return standing === undefined ? [] : [{ one, standing }];
  });
  const named = hits.filter(({ atMs }) => cursorMs === undefined || atMs <= cursorMs);
  if (shown.length === 0 && named.length === 0 && problem === undefined) return null;
  return (
    <ul className="session-arounds" aria-label="Approvals and mentions">
      {shown.map(({ one, standing }) => (
        <Line
          key={one.requestId}
          icon={<ClipboardCheck size={14} aria-hidden="true" />}
          atMs={one.askedMs}
          word={standing}
          text={visibleText(one.title)}
          onOpen={() => showApprovals(view, one.requestId)}
        />
      ))}
      {named.map((hit) => (
        <Line
          key={hit.messageId}
          icon={<AtSign size={14} aria-hidden="true" />}
          atMs={hit.atMs}
          word={visibleText(hit.roomName)}
          text={`${visibleText(hit.peer)}: ${visibleText(hit.line)}`}
          onOpen={() => showRoom(view, hit.room, hit.messageId)}
        />
      ))}
      {problem !== undefined && <li className="session-hint dim">Mentions in rooms could not be read: {problem}</li>}
    </ul>
  );
}
