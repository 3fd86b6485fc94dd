/**
 * Opens feeds by name for windows.
 * Law: parameters are checked before anything is opened; drops of closed feeds stay counted.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { rowsParams, sessionParams } from '../../shared/contract/streams-contract.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { Intake } from '../envelope/intake.ts';
import type { Clock } from '../ports/clock.ts';
import { createFeedPump, type FeedPump, type FeedSource } from './feed-pump.ts';
import type { MessageBuffer } from './message-buffer.ts';
import { createMessageMatcher } from './message-query.ts';
import type { RowReader } from './row-reader.ts';
import { createRowsSource } from './rows-source.ts';
import { createSessionSource } from './session-source.ts';
import type { SubjectReader } from './subject-reader.ts';

/** Most feeds that may be open at once. */
const maxFeeds = 256;

export interface FeedHub extends Disposable {
  /**
   * Opens a feed whose frames go to `send` as JSON text.
   * Throws `not-found` (no such feed), `invalid-input`, `invalid-pattern`, `limit-exceeded`.
   */
  open(name: string, params: unknown, send: (frame: string) => void): FeedPump;
  /** Messages that some feed lost to the buffer's bound. */
  readonly droppedCount: number;
  /** Messages that were sent to windows. */
  readonly sentCount: number;
  readonly openCount: number;
}

/** What the hub is made of. */
export interface FeedHubDeps {
  readonly buffer: MessageBuffer;
  readonly clock: Clock;
  readonly subjects: SubjectReader;
  readonly rows: RowReader;
  readonly intake: Pick<Intake, 'admit'>;
  /** Opens `streams.tail`; absent: there are no streams. */
  readonly openTail?: OpenPump;
}

type OpenPump = (params: unknown, send: (frame: string) => void) => FeedPump;

interface Opening {
  readonly source: FeedSource;
  readonly fromSeq: number;
}

/** Creates the hub over the engine's buffer. */
export function createFeedHub({ buffer, clock, subjects, rows, intake, openTail }: FeedHubDeps): FeedHub {
  const open = new Set<FeedPump>();
  let pastDropped = 0;
  let pastSent = 0;

  const onBuffer = (opening: (params: unknown) => Opening): OpenPump => {
    return (params, send) => createFeedPump({ buffer, clock, send, ...opening(params) });
  };
  const openings = new Map<string, OpenPump>([
    [
      'streams.rows',
      onBuffer((params) => {
        const parsed = rowsParams.safeParse(params);
        if (!parsed.success) throw new VakError('invalid-input', `streams.rows: ${firstIssue(parsed.error)}`);
        const { pattern, filter = '', fromSeq } = parsed.data;
        const wants = createMessageMatcher(filter, clock.now(), { subjects, rows });
        return { source: createRowsSource(pattern, rows, wants), fromSeq };
      }),
    ],
    [
      'streams.session',
      onBuffer((params) => {
        const parsed = sessionParams.safeParse(params);
        if (!parsed.success) throw new VakError('invalid-input', `streams.session: ${firstIssue(parsed.error)}`);
        const { session, fromSeq } = parsed.data;
        const source = createSessionSource({ session: checkToken(session, 'session'), reader: subjects, intake });
        return { source, fromSeq };
      }),
    ],
    ...(openTail === undefined ? [] : [['streams.tail', openTail] as const]),
  ]);

  const sumOf = (of: (pump: FeedPump) => number): number => [...open].reduce((sum, pump) => sum + of(pump), 0);

  return {
    open(name, params, send) {
      const opening = openings.get(name);
      if (opening === undefined) throw new VakError('not-found', 'there is no feed of that name');
      if (open.size >= maxFeeds) throw new VakError('limit-exceeded', `${maxFeeds} feeds are open already; close some`);
      const pump = opening(params, send);
      open.add(pump);
      return {
        credit: (frames) => pump.credit(frames),
        get droppedCount() {
          return pump.droppedCount;
        },
        get sentCount() {
          return pump.sentCount;
        },
        dispose() {
          if (!open.delete(pump)) return;
          pastDropped += pump.droppedCount;
          pastSent += pump.sentCount;
          pump.dispose();
        },
      };
    },
    get droppedCount() {
      return pastDropped + sumOf((pump) => pump.droppedCount);
    },
    get sentCount() {
      return pastSent + sumOf((pump) => pump.sentCount);
    },
    get openCount() {
      return open.size;
    },
    dispose() {
      for (const pump of open) pump.dispose();
      open.clear();
    },
  };
}
