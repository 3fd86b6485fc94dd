/** What was tried to read a payload, step by step, and where it ended. Pure. Law: what is not known is not said. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import { formatBytes, formatCount } from '../format.ts';
import type { NoJson } from './payload-desk.ts';

/** One step: what was done, and what came of it. */
export interface DecodeStep {
  readonly name: string;
  readonly text: string;
  readonly isFault: boolean;
}

/** What the envelope says of its payload; of one that has none, nothing is known. */
export interface DecodeFacts {
  /** `opened with ops/alice/20261129/1`, `not sealed`. */
  readonly key: string;
  readonly contentType: string | null;
}

/** First bytes by which formats are known (their specifications), for a hint: nothing is taken apart. */
const beginnings: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['gzip (RFC 1952)', [0x1f, 0x8b]],
  ['zstd (RFC 8878)', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zlib (RFC 1950)', [0x78, 0x9c]],
  ['PNG', [0x89, 0x50, 0x4e, 0x47]],
  ['PDF', [0x25, 0x50, 0x44, 0x46]],
  ['ZIP', [0x50, 0x4b, 0x03, 0x04]],
  ['UTF-16 (byte order mark)', [0xff, 0xfe]],
  ['UTF-16 (byte order mark)', [0xfe, 0xff]],
  ['UTF-8 with a byte order mark, which JSON has not (RFC 8259 §8.1)', [0xef, 0xbb, 0xbf]],
];

function beginningOf(head: Uint8Array): string | undefined {
  return beginnings.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte))?.[0];
}

/** The sentence behind "Not JSON:". */
export function whyNoJson(why: NoJson): string {
  switch (why.reason) {
    case 'empty':
      return 'the payload is empty';
    case 'utf-8':
      return `the bytes are not UTF-8: the first that is none is byte ${formatCount(why.byte)}`;
    case 'json': {
      const { fault } = why;
      const place = `line ${formatCount(fault.line)}, column ${formatCount(fault.column)} (byte ${formatCount(fault.byte)})`;
      return `${visibleText(fault.path)}: ${fault.why}, ${place}`;
    }
  }
}

const jsonLike = /^\s*(?:application|text)\/(?:[\w.-]+\+)?json\b/i;

function contentStep(contentType: string | null): DecodeStep {
  if (contentType === null) return { name: 'content type', text: 'none is said; tried as JSON', isFault: false };
  const text = jsonLike.test(contentType) ? 'tried as JSON' : 'it does not promise JSON; tried all the same';
  return { name: 'content type', text: `${visibleText(contentType)}: ${text}`, isFault: false };
}

/** The steps of a payload that is no JSON. `head`: its first bytes; `facts` undefined: it has no envelope that says more. */
export function decodeSteps(why: NoJson, head: Uint8Array, facts: DecodeFacts | undefined): readonly DecodeStep[] {
  const looksLike = beginningOf(head);
  const guess = looksLike === undefined ? '' : `; the first bytes look like ${looksLike}`;
  const steps: DecodeStep[] = [];
  if (facts !== undefined) steps.push({ name: 'key', text: facts.key, isFault: false });
  steps.push({ name: 'decompression', text: `the protocol has none, so none was tried${guess}`, isFault: false });
  if (facts !== undefined) steps.push(contentStep(facts.contentType));
  if (why.reason === 'empty') return [...steps, { name: 'bytes', text: formatBytes(0), isFault: true }];
  const utf8 = why.reason === 'utf-8' ? whyNoJson(why) : 'all bytes are UTF-8';
  steps.push({ name: 'UTF-8', text: utf8, isFault: why.reason === 'utf-8' });
  return why.reason === 'json' ? [...steps, { name: 'JSON', text: whyNoJson(why), isFault: true }] : steps;
}
