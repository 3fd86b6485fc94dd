/** Who can read one message: those who were in its epoch, and who left since. */
import { Eye, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomReaders, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDateTime } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { lineOf } from './room-words.ts';
import type { RoomSide } from './room-work.ts';
import { useAsked } from './use-asked.ts';

function Readers({ readers: { epoch, sinceMs, cause, readers, isShared } }: { readonly readers: RoomReaders }) {
  const zone = useViewState((state) => state.timeZone);
  return (
    <>
      <DetailFacts>
        <DetailFact name="key">number {formatCount(epoch)}</DetailFact>
        <DetailFact name="since">{formatDateTime(sinceMs, zone).replace(/\.\d{3}/, '')}</DetailFact>
        <DetailFact name="begun by">{visibleText(cause)}</DetailFact>
      </DetailFacts>
      <p className="readers-head">
        {formatCount(readers.length)} {readers.length === 1 ? 'member has' : 'members have'} its key:
      </p>
      <ul className="readers-list">
        {readers.map(({ peer, isStillIn }) => (
          <li key={peer}>
            <span className="readers-peer" title={visibleText(peer)}>
              {visibleText(peer)}
            </span>
            {!isStillIn && <span className="tone-wait">no longer in the room</span>}
          </li>
        ))}
      </ul>
      <p className="dim">
        {isShared
          ? 'Whoever joins later is sent this key, too: the room shares its history.'
          : 'Whoever joins later cannot read it.'}{' '}
        Subjects, sizes, times and who is a member are no secret.
      </p>
    </>
  );
}

export interface ReadersPanelProps {
  readonly side: Extract<RoomSide, { readonly kind: 'readers' }>;
  readonly room: RoomSummary;
  readonly onClose: () => void;
}

export function ReadersPanel({ side: { room, item }, room: { version }, onClose }: ReadersPanelProps) {
  const { client } = useWorkbench();
  const { messageId } = item;
  const { answer, error } = useAsked((signal) => client.rooms.whoCanRead({ room, messageId }, { signal }), {
    ...{ of: `${room} ${messageId}`, version },
  });
  return (
    <>
      <header className="side-head">
        <Eye size={14} className="dim" aria-hidden="true" />
        <h2>Who can read this</h2>
        <IconButton icon={X} label="Close who can read this" onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="side-body" aria-label="Who can read this message" tabIndex={0} data-testid="readers">
        <blockquote className="readers-quote" dir="auto">
          <span className="message-quoted-peer">{visibleText(item.peer)}</span> {lineOf(item)}
        </blockquote>
        {error !== undefined && <ErrorNotice report={describeError('Look who can read this', error)} />}
        {answer === undefined && error === undefined && <p className="dim late">Looking it up…</p>}
        {answer !== undefined && <Readers readers={answer} />}
      </section>
    </>
  );
}
