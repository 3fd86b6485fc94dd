/**
 * Reads requests for approval and their verdicts as they count now (protocol.md W8).
 * Law: it only reads, and makes no consumer; what does not count is told once, and taken back if it turns out to count.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type ApprovalBook, type ApprovalRequest, createApprovalBook } from './approval-book.ts';
import { readApproval } from './approval-records.ts';
import { createStreamReading, type Noting, type StreamReadingDeps } from './stream-reading.ts';

export interface ApprovalReading {
  readonly book: ApprovalBook;
  /** Reads what has come since; calls run one after the other. Throws what reading throws; a workspace whose streams were not made has no approvals. */
  read(): Promise<void>;
}

export interface ApprovalReadingDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  /** Whether a request is to be remembered; all are, unless told. */
  readonly isWanted?: (request: ApprovalRequest) => boolean;
  /** A record that counts for nobody, and why. */
  readonly onRefused: (message: StoredMessage, why: string) => void;
  /** It was refused, and is proven now. */
  readonly onTakenBack?: (message: StoredMessage) => void;
  readonly pace?: StreamReadingDeps['pace'];
}

/** Requests that are remembered at most; the oldest give way. */
const capacity = 10_000;

/** Reads the approvals of a workspace from the beginning. */
export function createApprovalReading(deps: ApprovalReadingDeps): ApprovalReading {
  const { workspace, durable, judge, isWanted, onRefused, onTakenBack = () => {}, pace } = deps;
  const book = createApprovalBook({ capacity });
  const lane = createSerialLane();

  function keep(record: Extract<ReturnType<typeof readApproval>, { kind: 'request' | 'verdict' }>): void {
    if (record.kind === 'request') {
      if (isWanted?.(record.request) !== false) book.noteRequest(record.request);
      return;
    }
    // A verdict is stored after what it answers: where not all requests are wanted it answers one that is not.
    const isMeant = isWanted === undefined || book.get(record.verdict.requestId) !== undefined;
    if (isMeant) book.noteVerdict(record.verdict);
  }

  function note(message: StoredMessage, isTold: boolean): Noting {
    const record = readApproval(message, judge);
    if (record.kind === 'locked') return 'locked';
    if (record.kind === 'invalid') {
      if (!isTold) onRefused(message, record.why);
      return record.isFinal ? 'noted' : 'unproven';
    }
    if (isTold) onTakenBack(message);
    keep(record);
    return 'noted';
  }

  const stream = `VAK_APPROVALS_${workspace}`;
  const reading = createStreamReading({
    ...{ durable, stream, from: {}, note },
    ...(pace === undefined ? {} : { pace }),
  });
  return {
    book,
    read: () =>
      lane.run(async () => {
        try {
          await reading.read();
        } catch (error) {
          if (!isVakError(error, 'not-found')) throw error;
        }
      }),
  };
}
