/** What the engine says of dead letters, asked for anew whenever they have changed; what was shown stays until the answer comes. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { LetterAnswer, LetterGroup, LetterReport } from '../../../shared/contract/dlq-contract.ts';
import type { Grouping } from '../../../shared/filter/letter-filter.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { createLetterPages, type LetterPages, type LetterPagesState } from './letter-pages.ts';

const maxGroups = 500;

/** Changes whenever an answer about letters would. */
function useLettersVersion(): string {
  const version = useSnapshot('dlq.state')?.version ?? 0;
  const place = useSnapshot('connections.state')?.current ?? '';
  return `${place} ${version}`;
}

export interface KnownGroups extends LetterAnswer {
  /** What it is the answer to. */
  readonly of: string;
  readonly groups: readonly LetterGroup[];
  readonly leftOutCount: number;
}

export interface GroupsAnswer {
  readonly known: KnownGroups | undefined;
  readonly error: unknown;
}

const noAnswer: GroupsAnswer = { known: undefined, error: undefined };

/** `filter` undefined: nothing is asked, and what was answered before is forgotten. */
export function useLetterGroups(filter: string | undefined, by: Grouping): GroupsAnswer {
  const { client } = useWorkbench();
  const version = useLettersVersion();
  const [answer, setAnswer] = useState(noAnswer);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer.
  useEffect(() => {
    if (filter === undefined) {
      setAnswer(noAnswer);
      return;
    }
    const call = new AbortController();
    client.dlq.groups({ filter, by, limit: maxGroups }, { signal: call.signal }).then(
      (known) => {
        if (!call.signal.aborted) setAnswer({ known: { ...known, of: `${by} ${filter}` }, error: undefined });
      },
      (error: unknown) => {
        if (!call.signal.aborted && !isVakError(error, 'aborted')) setAnswer((last) => ({ ...last, error }));
      },
    );
    return () => call.abort();
  }, [client, filter, by, version]);
  return answer;
}

/** The letters of a filter; undefined: no filter tells them. What was read before `isRead` turned is forgotten. */
export function useLetterPages(
  filter: string | undefined,
  isRead: boolean,
): {
  readonly pages: LetterPages;
  readonly state: LetterPagesState;
} {
  const { client } = useWorkbench();
  const version = useLettersVersion();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read anew begins with an empty list.
  const pages = useMemo(
    () => createLetterPages({ page: (asked, options) => client.dlq.page(asked, options) }),
    [client, isRead],
  );
  const shown = useRef<{ readonly pages: LetterPages; readonly filter: string } | undefined>(undefined);
  useEffect(() => () => pages.close(), [pages]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer.
  useEffect(() => {
    if (filter === undefined || !isRead) return;
    const { current } = shown;
    if (current?.pages === pages && current.filter === filter) pages.refresh();
    else pages.show(filter);
    shown.current = { pages, filter };
  }, [pages, filter, isRead, version]);
  return { pages, state: useStore(pages.store) };
}

export interface LetterAnswered {
  /** Of the letter that is asked for, or of none. */
  readonly letter: LetterReport | undefined;
  readonly error: unknown;
}

/** All that is known of one letter. */
export function useLetter(seq: number): LetterAnswered {
  const { client } = useWorkbench();
  const version = useLettersVersion();
  const [answer, setAnswer] = useState<LetterAnswered & { readonly seq: number }>({
    ...{ seq, letter: undefined, error: undefined },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer.
  useEffect(() => {
    const call = new AbortController();
    client.dlq.letter({ seq }, { signal: call.signal }).then(
      (letter) => {
        if (!call.signal.aborted) setAnswer({ seq, letter, error: undefined });
      },
      (error: unknown) => {
        if (!call.signal.aborted && !isVakError(error, 'aborted')) setAnswer({ seq, letter: undefined, error });
      },
    );
    return () => call.abort();
  }, [client, seq, version]);
  return answer.seq === seq ? answer : { letter: undefined, error: undefined };
}
