/** The filter of messages: typed and marked here, decided in the engine (docs/spec/streams.md V1, V2). */
import { type RefObject, useEffect, useMemo, useState } from 'react';
import { messageFields, readMessageFilter } from '../../../shared/filter/message-filter.ts';
import type { KnownNames } from '../../ui/filter-completions.ts';
import { TypedFilterField } from '../../ui/typed-filter-field.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import type { TableModel } from './table-model.ts';

/** After the last key the feed is opened anew, ms: each opening reads what the engine holds. */
const typingMs = 200;
/** Rows whose names are offered. */
const namedRows = 400;

/** The filter as far as it is typed and has no fault; while it has one, the last that had none. */
export function useSoundFilter(): string {
  const typed = useViewState((state) => state.messageFilter).trim();
  const [sound, setSound] = useState(() => (readMessageFilter(typed, Date.now()).faults.length === 0 ? typed : ''));
  useEffect(() => {
    if (readMessageFilter(typed, Date.now()).faults.length > 0) return;
    const timer = setTimeout(() => setSound(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  // What is shown whole again needs no waiting.
  return typed === '' ? '' : sound;
}

/** Names of the newest rows in the table, and of the sessions that are known. */
function namesIn(model: TableModel, sessions: readonly string[]): KnownNames {
  const peers = new Set<string>();
  const subjects = new Set<string>();
  const { buffer } = model;
  for (let index = Math.max(buffer.firstIndex, buffer.endIndex - namedRows); index < buffer.endIndex; index++) {
    const row = buffer.rowAt(index);
    if (row?.kind !== 'message') continue;
    subjects.add(row.subject);
    if (row.peer !== null) peers.add(row.peer);
  }
  return { peer: [...peers].sort(), subject: [...subjects].sort(), session: sessions };
}

export interface MessageFilterFieldProps {
  readonly model: TableModel;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onLeave: () => void;
}

export function MessageFilterField({ model, inputRef, onLeave }: MessageFilterFieldProps) {
  const { view } = useWorkbench();
  const filter = useViewState((state) => state.messageFilter);
  const listed = useSnapshot('sessions.list')?.sessions;
  const faults = useMemo(() => readMessageFilter(filter, Date.now()).faults, [filter]);
  // Read with each key that is typed: rows that come meanwhile do not change what is offered under the hand.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter says when they are read anew.
  const known = useMemo(
    () =>
      namesIn(
        model,
        (listed ?? []).map(({ session }) => session),
      ),
    [model, listed, filter],
  );
  return (
    <div className="streams-filter">
      <TypedFilterField
        {...{ filter, faults, inputRef, onLeave }}
        words={{ fields: messageFields, known }}
        onFilter={(messageFilter) => view.setState({ messageFilter })}
        saved="messages"
        label="Filter the messages"
        placeholder="subject: peer: type: session: trace: trust: size> after:2h, words"
        testId="message-filter"
      />
    </div>
  );
}
