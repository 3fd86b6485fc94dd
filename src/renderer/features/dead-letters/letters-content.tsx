/** Groups, their letters and the open one, side by side; what acts on them below. */
import { ArrowUp } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { LetterGroup, LettersState } from '../../../shared/contract/dlq-contract.ts';
import type { Grouping } from '../../../shared/filter/letter-filter.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { Splitter } from '../../ui/splitter.tsx';
import { useHeldRows, useHold } from '../../ui/use-held-rows.ts';
import { useSize } from '../../ui/use-size.ts';
import { Reading, Unread } from '../../ui/view-states.tsx';
import { useActions, useViewState, useWorkbench } from '../../workbench.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { CampaignStrip } from './campaign-strip.tsx';
import { NoLetterFound, NoLetters } from './dead-letters-empty.tsx';
import { GroupList, type GroupRow } from './group-list.tsx';
import { knownNames } from './known-names.ts';
import { type ActedOn, createChangeActions, createMoveActions, createWaitingActions } from './letter-actions.ts';
import { LetterDetail } from './letter-detail.tsx';
import { LetterList } from './letter-list.tsx';
import type { LetterPagesState } from './letter-pages.ts';
import { allKey, filterOfGroup, scopeOf } from './letter-scope.ts';
import { groupTitle, waitingWords } from './letter-words.ts';
import type { SaidCause } from './letter-work.ts';
import { LettersStrip } from './letters-strip.tsx';
import { UnreadStrip } from './unread-strip.tsx';
import { type KnownGroups, useLetterGroups, useLetterPages } from './use-dead-letters.ts';
import { useLetterCursor } from './use-letter-cursor.ts';
import { type LetterPlaces, useLetterMoves } from './use-letter-moves.ts';
import { useLetterWork, useLetterWorkState } from './use-letter-work.ts';

const detailBounds = { initialPx: 520, minPx: 400, maxPx: 960 };
const groupBounds = { initialPx: 340, minPx: 260, maxPx: 640 };
const groupKey = ({ key }: GroupRow): string => key;
const noGroups: readonly LetterGroup[] = [];

interface Asked {
  readonly filter: string;
  readonly by: Grouping;
  /** Whether there is something to ask about yet. */
  readonly isRead: boolean;
}

/** The groups as they are shown: they hold still under the pointer and the keys; the largest is chosen until another one is. */
function useGroupRows({ filter, by, isRead }: Asked) {
  const work = useLetterWork();
  const { known, error } = useLetterGroups(isRead ? filter : undefined, by);
  const group = useLetterWorkState((one) => one.group);
  const hold = useHold();
  const groups = known?.groups ?? noGroups;
  const isOwn = known !== undefined && known.of === `${by} ${filter}`;
  const { kept, added } = useHeldRows(groups, { keyOf: groupKey, isHeld: hold.isHeld, of: `${by} ${filter}` });
  const rows = useMemo((): readonly GroupRow[] => {
    if (!isRead) return [];
    const now = new Set(groups.map(groupKey));
    const shown = [...kept, ...added].filter((one) => now.has(one.key));
    const openCount = shown.reduce((sum, one) => sum + one.counts.open, 0);
    return [{ key: allKey, openCount, allCount: known?.matchingCount ?? 0 }, ...shown];
  }, [isRead, groups, kept, added, known]);
  const isChosen = group === allKey || groups.some(({ key }) => key === group);
  const first = groups[0]?.key ?? null;
  useEffect(() => {
    if (isOwn && !isChosen && group !== first) work.selectGroup(first);
  }, [work, isOwn, isChosen, group, first]);
  return { known, error, groups, rows, group, hold };
}

/** A cause, as far as it is known here. */
function causeOf(fingerprint: string, groups: readonly LetterGroup[], by: Grouping): SaidCause {
  const group = by === 'cause' ? groups.find(({ key }) => key === fingerprint) : undefined;
  if (group === undefined) {
    return { ...{ fingerprint, title: fingerprint, state: 'open', assignee: null, note: null }, newestSeq: undefined };
  }
  const { state, assignee, note, newestSeq } = group;
  return { fingerprint, title: groupTitle(group, by), state, assignee, note, newestSeq };
}

interface Looked extends Asked {
  readonly groups: readonly LetterGroup[];
  readonly state: LetterPagesState;
}

/** What the keys and buttons act on. */
function useActedOn({ filter, by, isRead, groups, state }: Looked): ActedOn {
  const { group, letter, awaitedRow, pane, picked, isAll } = useLetterWorkState((one) => one);
  return useMemo(() => {
    const scope = !isRead ? undefined : scopeOf({ filter, by, group, letter, awaitedRow, pane, picked, isAll });
    const seq = scope?.kind === 'matching' ? undefined : scope?.seqs[0];
    const row = seq === undefined ? undefined : state.slots.find((slot) => slot.row?.seq === seq)?.row;
    const ofGroup = pane === 'groups' && by === 'cause' && group !== null && group !== allKey && group !== '';
    const fingerprint = ofGroup ? group : row?.fingerprint;
    const cause = fingerprint === undefined ? undefined : causeOf(fingerprint, groups, by);
    return { scope, cause, closedWhy: row?.closedWhy };
  }, [filter, by, isRead, groups, state.slots, group, letter, awaitedRow, pane, picked, isAll]);
}

function useLetterActions(acted: ActedOn): void {
  const { mirror, notify } = useWorkbench();
  const work = useLetterWork();
  useActions(useMemo(() => createChangeActions({ mirror, notify, work }, acted), [mirror, notify, work, acted]));
}

/** Shows what another view asked for. */
function useWantedLetters(focusGroups: () => void): void {
  const { view } = useWorkbench();
  const work = useLetterWork();
  const wanted = useViewState((one) => (one.wanted?.kind === 'letters' ? one.wanted : null));
  useEffect(() => {
    if (wanted === null) return;
    view.setState({ wanted: null, letterFilter: wanted.filter, letterGrouping: 'cause' });
    work.selectGroup(null);
    requestAnimationFrame(focusGroups);
  }, [view, work, wanted, focusGroups]);
}

/** Another filter is another list: what was chosen in the former one is not in sight, so nothing may be done with it. */
function useStartOver(filter: string): void {
  const work = useLetterWork();
  const former = useRef(filter);
  useEffect(() => {
    if (former.current !== filter) work.startOver();
    former.current = filter;
  }, [work, filter]);
}

interface LettersPlaceProps {
  readonly letters: ReturnType<typeof useLetterPages>;
  readonly cursor: ReturnType<typeof useLetterCursor>;
  readonly hold: ReturnType<typeof useHold>;
  readonly moves: ReturnType<typeof useLetterMoves>;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly known: KnownGroups | undefined;
  readonly isUnnamed: boolean;
}

function LettersPlace({ letters, cursor, hold, moves, listRef, known, isUnnamed }: LettersPlaceProps) {
  const { view } = useWorkbench();
  const work = useLetterWork();
  const picked = useLetterWorkState((one) => one.picked);
  const isAll = useLetterWorkState((one) => one.isAll);
  const { pages, state } = letters;
  if (isUnnamed)
    return (
      <p className="view-note dim">No filter tells those without a name apart; put them together by cause instead.</p>
    );
  const isFailed = state.error !== undefined;
  // What is there of another filter would be taken for an answer.
  if (isFailed && state.slotsOf !== state.filter)
    return (
      <div className="view-note">
        <ErrorNotice report={describeError('Read the letters', state.error)}>
          <Button onClick={pages.refresh}>Try again</Button>
        </ErrorNotice>
      </div>
    );
  if (state.isKnown && state.slots.length === 0 && !isFailed)
    return (
      <NoLetterFound hasFault={(known?.faults.length ?? 0) > 0} onClear={() => view.setState({ letterFilter: '' })} />
    );
  return (
    <div className="letters-place" onKeyDownCapture={hold.onKey}>
      <LetterList
        slots={state.slots}
        want={pages.want}
        selectedKey={cursor.selectedKey}
        picking={{ picked, isAll, onToggle: work.togglePick, onExtend: moves.extend }}
        onSelect={cursor.selectKey}
        onOpen={work.openLetter}
        onHover={hold.onHover}
        listRef={listRef}
      />
      {isFailed && <UnreadStrip error={state.error} onAgain={pages.refresh} />}
      {state.newCount > 0 && (
        <div className="letters-new">
          <Button icon={ArrowUp} keys="n" data-testid="letters-new" onClick={moves.showNew}>
            {`${formatCount(state.newCount)} new`}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Goes to the groups, or out of the filter while there are none: then the keys of the view act again. */
function useFocusGroups({ groups, filter }: Pick<LetterPlaces, 'groups' | 'filter'>): () => void {
  return useCallback(() => {
    if (groups.current === null) filter.current?.blur();
    else groups.current.focus({ preventScroll: true });
  }, [groups, filter]);
}

/** Everything that the lists, the keys and the bar below share. */
function useLetterScene(isRead: boolean) {
  const filter = useViewState((one) => one.letterFilter);
  const by = useViewState((one) => one.letterGrouping);
  useStartOver(filter);
  const shown = useGroupRows({ filter, by, isRead });
  const { group, groups, rows } = shown;
  const groupFilter = group === null ? filter : filterOfGroup({ filter, by, group });
  const letters = useLetterPages(groupFilter, isRead);
  const { pages, state } = letters;
  const { pane, isOpen, letter, awaitedRow } = useLetterWorkState((one) => one);
  const hold = useHold();
  const isHeld = hold.isHeld || pane === 'letters' || isOpen;
  useEffect(() => pages.hold(isHeld), [pages, isHeld]);
  const work = useLetterWork();
  const cursor = useLetterCursor({ state, letter, awaitedRow, select: work.selectLetter, awaitRow: work.awaitRow });
  const places = {
    groups: useRef<HTMLDivElement>(null),
    letters: useRef<HTMLDivElement>(null),
    filter: useRef<HTMLInputElement>(null),
    root: useRef<HTMLDivElement>(null),
  };
  const groupKeys = useRef<readonly string[]>([]);
  groupKeys.current = rows.map(groupKey);
  const slots = useRef(state.slots);
  slots.current = state.slots;
  const selectKey = useRef(cursor.selectKey);
  selectKey.current = cursor.selectKey;
  const moves = useLetterMoves({
    ...places,
    ...{ groupKeys, slots, pages, selectKey: (key: string) => selectKey.current(key) },
  });
  const acted = useActedOn({ filter, by, isRead, groups, state });
  useActions(useMemo(() => (isRead ? createMoveActions(moves) : createWaitingActions(moves)), [moves, isRead]));
  useLetterActions(acted);
  const focusGroups = useFocusGroups(places);
  useWantedLetters(focusGroups);
  return {
    filter,
    by,
    shown,
    letters,
    hold,
    cursor,
    places,
    moves,
    acted,
    focusGroups,
    isUnnamed: groupFilter === undefined,
  };
}

type LetterScene = ReturnType<typeof useLetterScene>;

function Strip({ scene, known }: { readonly scene: LetterScene; readonly known: LettersState | undefined }) {
  const { view } = useWorkbench();
  const work = useLetterWork();
  const { filter, by, shown, letters, focusGroups, places } = scene;
  return (
    <LettersStrip
      {...{ state: known, filter, faults: shown.known?.faults ?? [], by }}
      onFilter={(letterFilter) => view.setState({ letterFilter })}
      known={knownNames(shown.groups, letters.state.slots)}
      onBy={(letterGrouping) => {
        work.selectGroup(null);
        view.setState({ letterGrouping });
      }}
      leftOutCount={shown.known?.leftOutCount ?? 0}
      onLeave={focusGroups}
      inputRef={places.filter}
    />
  );
}

function Lists({ scene }: { readonly scene: LetterScene }) {
  const work = useLetterWork();
  const { letter, isOpen } = useLetterWorkState((one) => one);
  const size = useSize('letters.groups', groupBounds);
  const { by, shown, letters, hold, cursor, places, moves, isUnnamed } = scene;
  const close = (): void => {
    work.closeLetter();
    places.letters.current?.focus({ preventScroll: true });
  };
  return (
    <div className="letters-lists" data-open={isOpen && letter !== null}>
      <section
        className="letters-groups"
        aria-label="Groups"
        style={{ width: `${size.px}px` }}
        onKeyDownCapture={shown.hold.onKey}
      >
        <GroupList
          {...{ rows: shown.rows, by, selected: shown.group, onSelect: work.selectGroup, onOpen: moves.open }}
          onHover={shown.hold.onHover}
          listRef={places.groups}
        />
      </section>
      <Splitter label="Width of the groups" size={size} sizes="before" />
      <section className="letters-main" aria-label="Letters">
        <LettersPlace {...{ letters, cursor, hold, moves, listRef: places.letters, known: shown.known, isUnnamed }} />
      </section>
      {isOpen && letter !== null && (
        <SidePanel
          label="Letter"
          sizeName="letters.detail"
          bounds={detailBounds}
          onClose={close}
          data-testid="letter-detail"
        >
          <LetterDetail seq={letter} onClose={close} />
        </SidePanel>
      )}
    </div>
  );
}

/** Nothing of them is known yet, or that they cannot be read. */
function NotYet({ state }: { readonly state: LettersState | undefined }) {
  const problem = state?.problem ?? null;
  if (problem !== null) return <Unread doing="Read the dead letters" problem={problem} />;
  const done = state && { count: state.readCount, of: state.streamCount };
  return <Reading words={waitingWords(state)} done={done} data-testid="letters-waiting" />;
}

/** The filter keeps its place and the focus from the first moment, so that nothing that is typed goes elsewhere. */
export function LettersContent({ state: told }: { readonly state: LettersState | undefined }) {
  const work = useLetterWork();
  const environment = useEnvironment()?.name ?? '…';
  const isAll = useLetterWorkState((one) => one.isAll);
  const known = told === undefined || told.readAtMs === null ? undefined : told;
  const scene = useLetterScene(known !== undefined);
  const { matchingCount, allCount } = scene.letters.state;
  if (known !== undefined && known.streamCount === 0 && known.readCount === 0)
    return (
      <div className="view-empty stale-edge" data-stale={known.problem !== null}>
        <NoLetters />
      </div>
    );
  return (
    <div
      className="letters stale-edge"
      ref={scene.places.root}
      data-stale={known !== undefined && known.problem !== null}
    >
      <Strip scene={scene} known={known} />
      {known === undefined ? (
        <NotYet state={told} />
      ) : (
        <>
          <CampaignStrip campaigns={known.campaigns} />
          <Lists scene={scene} />
          <BulkBar
            {...{ scope: scene.acted.scope, environment, isAll, matchingCount, allCount }}
            onAll={work.pickAll}
            onNone={work.clearPicks}
          />
        </>
      )}
    </div>
  );
}
