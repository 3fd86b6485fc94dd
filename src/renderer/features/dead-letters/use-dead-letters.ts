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

export function useLetterGroups(filter: string, by: Grouping): GroupsAnswer {
  const { client } = useWorkbench();
  const version = useLettersVersion();
  const [answer, setAnswer] = useState<GroupsAnswer>({ known: undefined, error: undefined });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer.
  useEffect(() => {
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

/** The letters of a filter; undefined: no filter tells them. */
export function useLetterPages(filter: string | undefined): {
  readonly pages: LetterPages;
  readonly state: LetterPagesState;
} {
  const { client } = useWorkbench();
  const version = useLettersVersion();
  const pages = useMemo(
    () => createLetterPages({ page: (asked, options) => client.dlq.page(asked, options) }),
    [client],
  );
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => () => pages.close(), [pages]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer.
  useEffect(() => {
    if (filter === undefined) return;
    if (shown.current === filter) pages.refresh();
    else pages.show(filter);
    shown.current = filter;
  }, [pages, filter, version]);
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
