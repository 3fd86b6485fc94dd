/**
 * What is known of the streams of a server without asking again (protocol.md B3).
 * Law: what was read is believed for half a minute at most, and forgotten as soon as the server contradicts it.
 */

import { type StreamSpec, streamsOf } from '../../../shared/protocol/stream-table.ts';
import { matches } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StreamState } from '../durable.ts';

export type KnownStream = Pick<StreamSpec, 'name' | 'subjects' | 'retention'>;

export interface StreamBook {
  note(spec: KnownStream): void;
  forget(name: string): void;
  /** Of a stream, asked for if need be. */
  known(name: string, ask: () => Promise<StreamState>): Promise<KnownStream>;
  /** The stream that takes a subject: as was read, else by the table. */
  of(subject: string): KnownStream | undefined;
  /** Consumers of a stream were made or deleted here. */
  consumersChanged(name: string): void;
  /** Tells of a stream that was noted anew, forgotten, or whose consumers changed. */
  onChange(listener: (name: string) => void): void;
}

const believedMs = 30_000;
const maxKnown = 1_024;

/** The stream of the table that takes a subject. */
export function tableStream(subject: string): KnownStream | undefined {
  const workspace = /^vak\.[a-z]+\.([A-Za-z0-9_-]{1,64})\./.exec(subject)?.[1];
  if (workspace === undefined) return undefined;
  return streamsOf(workspace).find(({ subjects }) => subjects.some((pattern) => matches(pattern, subject)));
}

export function createStreamBook(clock: Clock): StreamBook {
  const entries = new Map<string, { readonly stream: KnownStream; readonly atMs: number }>();
  const listeners: ((name: string) => void)[] = [];
  const tell = (name: string): void => {
    for (const listener of listeners) listener(name);
  };
  const fresh = (name: string): KnownStream | undefined => {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    if (clock.monotonic() - entry.atMs < believedMs) return entry.stream;
    entries.delete(name);
    return undefined;
  };
  const book: StreamBook = {
    note({ name, subjects, retention }) {
      const oldest = entries.keys().next().value;
      if (entries.size >= maxKnown && oldest !== undefined) entries.delete(oldest);
      entries.delete(name);
      entries.set(name, { stream: { name, subjects, retention }, atMs: clock.monotonic() });
      tell(name);
    },
    forget(name) {
      if (entries.delete(name)) tell(name);
    },
    async known(name, ask) {
      const known = fresh(name);
      if (known !== undefined) return known;
      const { spec } = await ask();
      book.note(spec);
      return spec;
    },
    of(subject) {
      for (const name of [...entries.keys()]) {
        const stream = fresh(name);
        if (stream?.subjects.some((pattern) => matches(pattern, subject)) === true) return stream;
      }
      return tableStream(subject);
    },
    consumersChanged: tell,
    onChange: (listener) => void listeners.push(listener),
  };
  return book;
}
