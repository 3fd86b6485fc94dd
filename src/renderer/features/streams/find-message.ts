/** Finds a message again that was referred to: where it was, else in the streams that take its subject. */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { matches } from '../../../shared/protocol/subject.ts';
import type { MessageRef } from '../../state/bookmarks.ts';
import type { Workbench } from '../../workbench.tsx';

/** A message is stored within this time of when it was heard. */
const searchedMs = 5_000;
/** Messages of its subject that are looked at. */
const maxRead = 64;

type Asked = Pick<Workbench['client'], 'streams'>;

/** How it is referred to. */
export function refOf({ seq, stream, atMs, subject, type, trust }: BufferedMessage): MessageRef {
  const envelopeId = trust.attributes.find(({ name }) => name === 'id')?.value ?? null;
  return { seq, stream, atMs, subject, type, envelopeId };
}

function isIt(message: BufferedMessage, ref: MessageRef): boolean {
  if (message.subject !== ref.subject) return false;
  const { envelopeId } = refOf(message);
  return ref.envelopeId === null ? envelopeId === null && message.atMs === ref.atMs : envelopeId === ref.envelopeId;
}

async function readAt(
  { streams }: Asked,
  place: Pick<MessageRef, 'seq' | 'stream'>,
  signal: AbortSignal,
): Promise<BufferedMessage | undefined> {
  try {
    return await streams.read({ seq: place.seq, stream: place.stream }, { signal });
  } catch (error) {
    if (isVakError(error, 'not-found')) return undefined;
    throw error;
  }
}

async function searchIn(
  stream: string,
  ref: MessageRef,
  { client, signal }: Finding,
): Promise<BufferedMessage | undefined> {
  const at = { kind: 'time', ms: Math.max(0, ref.atMs - searchedMs) } as const;
  const { rows } = await client.streams.page({ stream, at, filter: `subject:${ref.subject}` }, { signal });
  const near = rows.seq.filter((_, index) => (rows.atMs[index] ?? 0) <= ref.atMs + searchedMs).slice(0, maxRead);
  for (const seq of near) {
    const message = await readAt(client, { seq, stream }, signal);
    if (message !== undefined && isIt(message, ref)) return message;
  }
  return undefined;
}

export interface Finding {
  readonly client: Asked;
  readonly signal: AbortSignal;
}

/**
 * The message, where it lies now; undefined: neither what was heard nor a stream has it. One without an envelope's id is known again only
 * where it was.
 */
export async function findMessage(ref: MessageRef, finding: Finding): Promise<BufferedMessage | undefined> {
  const { client, signal } = finding;
  const there = await readAt(client, ref, signal);
  if (there !== undefined && isIt(there, ref)) return there;
  if (ref.envelopeId === null || ref.stream !== null) return undefined;
  const { streams } = await client.streams.stored({}, { signal });
  for (const { name, subjects } of streams) {
    if (!subjects.some((pattern) => matches(pattern, ref.subject))) continue;
    const found = await searchIn(name, ref, finding);
    if (found !== undefined) return found;
  }
  return undefined;
}
