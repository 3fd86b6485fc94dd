/** Search over the messages that this peer can open: words by their beginnings, newest first. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomHit, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { showRoom } from '../../state/view-store.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDateTime, formatRelative } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { plainLine } from './plain-line.ts';
import { type Asked, useAsked } from './use-asked.ts';
import { useRoomWork, useRoomWorkState } from './use-room-work.ts';

const maxHits = 100;
const noHits: readonly RoomHit[] = [];
const keyOf = ({ messageId, room }: RoomHit): string => `${room} ${messageId}`;
const scopes = [
  { id: 'all', title: 'All rooms' },
  { id: 'one', title: 'This room' },
] as const;

function HitCells({ hit, isWide }: { readonly hit: RoomHit; readonly isWide: boolean }) {
  const zone = useViewState((state) => state.timeZone);
  const nowMs = Math.floor(useNow() / 10_000) * 10_000;
  return (
    <span role="gridcell" className="hit-row">
      <span className="hit-head">
        <span className="message-quoted-peer">{visibleText(hit.peer)}</span>
        {isWide && <span className="dim"> in {visibleText(hit.roomName)}</span>}
      </span>
      <span className="hit-age dim" title={formatDateTime(hit.atMs, zone)}>
        {formatRelative(Math.min(hit.atMs, nowMs), nowMs)}
      </span>
      <span className="hit-line" dir="auto">
        {plainLine(hit.line)}
      </span>
    </span>
  );
}

export interface SearchPanelProps {
  readonly room: RoomSummary;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onClose: () => void;
}

type Found = Asked<{ readonly hits: readonly RoomHit[]; readonly doneCount: number; readonly count: number }>;

/** What is searched for, where, and what was found. */
function useSearch(room: RoomSummary) {
  const { client } = useWorkbench();
  const text = useRoomWorkState((state) => state.searchText);
  const isWide = useRoomWorkState((state) => state.isSearchWide);
  const wanted = text.trim();
  const place = isWide ? {} : { room: room.room };
  const found: Found = useAsked(
    (signal) => client.rooms.search({ text: wanted, limit: maxHits, ...place }, { signal }),
    {
      of: wanted === '' ? undefined : `${isWide ? 'all' : room.room} ${wanted}`,
      ...{ version: isWide ? 0 : room.version, restMs: 120 },
    },
  );
  return { text, wanted, isWide, found };
}

/** What there is to say beside the hits. */
function SearchNotes({ wanted, found: { answer, error } }: { readonly wanted: string; readonly found: Found }) {
  if (wanted === '')
    return <p className="rooms-note dim">It looks at what this peer can open. Nothing of it is written to disk.</p>;
  if (error !== undefined)
    return (
      <div className="rooms-note">
        <ErrorNotice report={describeError('Search the messages', error)} />
      </div>
    );
  if (answer === undefined || answer.hits.length > 0) return null;
  return (
    <p className="rooms-note dim" data-testid="search-none">
      No message has words that begin with “{wanted}”.
    </p>
  );
}

function footWords({ answer, isAsking }: Found): string {
  if (answer === undefined) return isAsking ? 'Searching…' : '';
  const { hits, doneCount, count } = answer;
  const newest = hits.length === maxHits ? ' newest' : '';
  return `${formatCount(hits.length)}${newest} found in ${formatCount(doneCount)} of ${formatCount(count)} messages`;
}

interface SearchInputProps extends Pick<SearchPanelProps, 'inputRef'> {
  readonly text: string;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function SearchInput({ text, inputRef, onKeyDown }: SearchInputProps) {
  const work = useRoomWork();
  return (
    <div className="side-strip">
      <input
        ref={inputRef}
        className="field-input"
        type="text"
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        placeholder="Words, or their beginnings"
        aria-label="Search the messages"
        data-testid="message-search"
        value={text}
        onChange={(event) => work.set({ searchText: event.target.value })}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function SearchHead({ isWide, onClose }: { readonly isWide: boolean; readonly onClose: () => void }) {
  const work = useRoomWork();
  return (
    <header className="side-head">
      <h2>Search</h2>
      <ChoiceSwitch
        label="Where to search"
        choices={scopes}
        chosen={isWide ? 'all' : 'one'}
        onChoose={(id) => work.set({ isSearchWide: id === 'all' })}
        testId="search-scope"
      />
      <IconButton icon={X} label="Close the search" onClick={onClose} />
    </header>
  );
}

export function SearchPanel({ room, inputRef, onClose }: SearchPanelProps) {
  const { view } = useWorkbench();
  const [selected, setSelected] = useState<string | undefined>();
  const listRef = useRef<HTMLDivElement>(null);
  const { text, wanted, isWide, found } = useSearch(room);
  const hits = found.answer?.hits ?? noHits;
  const go = (key: string): void => {
    setSelected(key);
    const hit = hits.find((one) => keyOf(one) === key);
    if (hit !== undefined) showRoom(view, hit.room, hit.messageId);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') listRef.current?.focus();
    else if (event.key === 'Enter' && hits[0] !== undefined) go(keyOf(hits[0]));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <SearchHead isWide={isWide} onClose={onClose} />
      <SearchInput {...{ text, inputRef, onKeyDown }} />
      <SearchNotes wanted={wanted} found={found} />
      <div className="row-list-frame">
        <RowList
          label="Messages that were found, newest first"
          className="hit-list"
          rows={hits}
          keyOf={keyOf}
          rowPx={44}
          selectedKey={selected}
          onSelect={setSelected}
          onPick={go}
          onOpen={go}
          listRef={listRef}
          data-testid="search-hits"
        >
          {(hit) => <HitCells hit={hit} isWide={isWide} />}
        </RowList>
      </div>
      <p className="side-foot dim" aria-live="polite">
        {footWords(found)}
      </p>
    </>
  );
}
