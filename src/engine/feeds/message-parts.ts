/**
 * Messages and opened payloads of any size for a window: their beginning, slices, and a file (docs/spec/streams.md V8).
 * Law: bytes are given as they are; what was opened for slices is kept for one payload only and let go of soon.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { headBytes } from '../../shared/base/slice-bounds.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { MessagePart, streamsContract } from '../../shared/contract/streams-contract.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import { fileError } from '../identity/file-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { HeldMessage } from './message-buffer.ts';

/** How long what was opened is kept for the next slice. */
const keptMs = 10_000;

type Calls = Pick<Services<{ readonly streams: typeof streamsContract }>['streams'], 'open' | 'slice' | 'save'>;

export interface MessagePartsDeps {
  /** Throws `not-found`. */
  readonly get: (seq: number, stream: string | null) => Promise<HeldMessage>;
  readonly open: (held: HeldMessage, stream: string | null) => OpenedPayload;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile'>;
  readonly clock: Clock;
}

interface Place {
  readonly seq: number;
  readonly stream?: string | null | undefined;
}

/** The first bytes of a whole, and how many it has. */
export function headOf(whole: Uint8Array): { readonly bytes: Uint8Array; readonly sizeBytes: number } {
  // A view of a part would be cloned with all that it is a part of.
  return { bytes: whole.length <= headBytes ? whole : whole.slice(0, headBytes), sizeBytes: whole.length };
}

/** Creates the calls. */
export function createMessageParts({ get, open, prompt, clock }: MessagePartsDeps): Calls {
  let kept: { readonly key: string; readonly bytes: Uint8Array } | undefined;
  let timer: Disposable | undefined;

  function keep(key: string, bytes: Uint8Array): void {
    timer?.dispose();
    kept = { key, bytes };
    timer = clock.setTimer(keptMs, () => {
      kept = undefined;
    });
  }

  async function wholeOf({ seq, stream = null }: Place, part: MessagePart): Promise<Uint8Array> {
    const held = await get(seq, stream);
    if (part === 'message') return held.data;
    const opened = open(held, stream);
    if (opened.kind === 'opened') return opened.bytes;
    throw new VakError('conflict', `the payload of message ${seq} does not open: ${opened.failure.why}`);
  }

  async function keptWhole(place: Place, part: MessagePart): Promise<Uint8Array> {
    const key = `${part} ${place.seq} ${place.stream ?? ''}`;
    const bytes = kept?.key === key ? kept.bytes : await wholeOf(place, part);
    keep(key, bytes);
    return bytes;
  }

  return {
    async open({ seq, stream = null }) {
      const opened = open(await get(seq, stream), stream);
      return opened.kind === 'opened' ? { ...opened, ...headOf(opened.bytes) } : opened;
    },
    async slice({ part, offset, length, ...place }) {
      const whole = await keptWhole(place, part);
      if (offset < whole.length) return whole.slice(offset, offset + length);
      throw new VakError('invalid-input', `offset ${offset} is behind the end: there are ${whole.length} bytes`);
    },
    async save({ part, ...place }) {
      const bytes = await wholeOf(place, part);
      const defaultName = `${place.stream ?? 'message'}-${place.seq}${part === 'payload' ? '.payload' : ''}`;
      const path = await prompt.chooseSaveFile({ title: `Save the ${part}`, defaultName });
      try {
        await writeFileAtomically(path, bytes);
      } catch (error) {
        throw fileError('write', path, error);
      }
      return { path, sizeBytes: bytes.length };
    },
  };
}
