/**
 * What the session of a failure told of itself around it: the end of its output, its figures, its states (docs/spec/triage.md D11, D12).
 * Law: only what was heard here and opens; the end of a text is kept, within bounds.
 */
import { fromBase64, toText } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { LetterReport } from '../../shared/contract/dlq-contract.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { HeardMessages, HeardSpan } from './heard-messages.ts';

interface Tail {
  readonly text: string;
  /** Something came before it. */
  readonly isCut: boolean;
}

/** Texts in it are as they came: secrets are taken out afterwards, of the whole, for a piece may end within one. */
export type SurroundingLine =
  | ({ readonly kind: 'terminal'; readonly session: string; readonly stream: 'stdout' | 'stderr' } & Tail)
  | { readonly kind: 'telemetry'; readonly session: string; readonly samples: readonly object[] }
  | { readonly kind: 'status'; readonly session: string; readonly states: readonly object[] };

/** What surrounds a failure, and how many messages of its session do not open here. */
export interface Surroundings {
  readonly lines: readonly SurroundingLine[];
  readonly sealedCount: number;
}

/** Before the last attempt and after the failure, ms. */
const aroundMs = 10_000;
/** Of each output. */
const maxTail = 64 * 1024;
const maxSamples = 512;

interface Told {
  readonly atMs: number;
  readonly type: string;
  readonly payload: Uint8Array;
}

type EventType = 'vak.events.terminal' | 'vak.events.telemetry' | 'vak.events.status';

/** What of it is of a type, and sound. */
function ofType<T extends EventType>(told: readonly Told[], type: T): { atMs: number; said: PayloadOf<T> }[] {
  return told
    .filter((one) => one.type === type)
    .flatMap(({ atMs, payload }) => {
      try {
        return [{ atMs, said: decodePayload(type, payload) }];
      } catch (error) {
        if (isVakError(error)) return [];
        throw error;
      }
    });
}

function tailOf(pieces: readonly PayloadOf<'vak.events.terminal'>[]): Tail {
  const bytes = Buffer.concat(pieces.map((one) => fromBase64(one.bytes, 'bytes')));
  const text = toText(bytes.subarray(-maxTail));
  if (bytes.length <= maxTail) return { text, isCut: false };
  // What begins in its midst may be the rest of a secret.
  const [line, space] = [text.indexOf('\n'), text.search(/\s/)];
  return { text: line === -1 ? text.slice(space + 1) : text.slice(line + 1), isCut: true };
}

/** The session of a letter's last attempt and the time around its failure; undefined: no session of it was heard. */
function spanOf({
  session,
  attemptList,
  failedMs,
}: Pick<LetterReport, 'session' | 'attemptList' | 'failedMs'>): HeardSpan | undefined {
  if (session === null) return undefined;
  return { session, fromMs: (attemptList[0]?.startedMs ?? failedMs) - aroundMs, untilMs: failedMs + aroundMs };
}

/** What the session of a letter told around its failure; nothing if nobody heard it. */
export function surroundingsOf(
  letter: Pick<LetterReport, 'session' | 'attemptList' | 'failedMs'>,
  heard: Pick<HeardMessages, 'eventsOf'> | undefined,
  opener: Pick<EnvelopeOpener, 'open'>,
): Surroundings {
  const span = spanOf(letter);
  if (span === undefined || heard === undefined) return { lines: [], sealedCount: 0 };
  const { session } = span;
  let sealedCount = 0;
  const told = heard.eventsOf(span).flatMap(({ envelope, atMs }) => {
    const opened = opener.open(envelope);
    if (opened.kind === 'opened') return [{ atMs, type: envelope.type, payload: opened.bytes }];
    sealedCount++;
    return [];
  });
  const pieces = ofType(told, 'vak.events.terminal').map(({ said }) => said);
  const samples = ofType(told, 'vak.events.telemetry').map(({ atMs, said }) => ({ atMs, ...said }));
  const states = ofType(told, 'vak.events.status').map(({ atMs, said }) => ({ atMs, ...said }));
  const tails = (['stdout', 'stderr'] as const).flatMap((stream): SurroundingLine[] => {
    const tail = tailOf(pieces.filter((one) => one.stream === stream));
    return tail.text === '' ? [] : [{ kind: 'terminal', session, stream, ...tail }];
  });
  const lines: SurroundingLine[] = [
    ...tails,
    ...(samples.length === 0 ? [] : [{ kind: 'telemetry', session, samples: samples.slice(-maxSamples) } as const]),
    ...(states.length === 0 ? [] : [{ kind: 'status', session, states: states.slice(-maxSamples) } as const]),
  ];
  return { lines, sealedCount };
}
