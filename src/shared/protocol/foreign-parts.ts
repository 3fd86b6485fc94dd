/**
 * The parts of an envelope that only a foreign sender writes: unknown attributes, and `data` as JSON (protocol.md E2).
 * Law: they are kept as the JSON text that came; what is no such text is refused.
 */
import { type JsonNode, pathPart, scanJson } from '../base/json-scan.ts';
import { isCleanText } from './clean-text.ts';
import type { EnvelopeData, ExtensionAttribute } from './envelope.ts';
import { refuseField } from './refuse-field.ts';

/** Deepest nesting of an envelope's JSON, its own braces included. */
export const maxEnvelopeDepth = 128;

/** Names that the protocol knows; none of them is an extension. `dataschema` is kept like one. */
export const knownAttributes: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'datacontenttype',
  'subject',
  'traceparent',
  'tracestate',
  'workspaceid',
  'agentid',
  'sessionid',
  'parentagentid',
  'seqnum',
  'prevhash',
  'payloadhash',
  'causationid',
  'resumes',
  'encalg',
  'keyid',
  'nonce',
  'signer',
  'signature',
]);

const extensionName = /^[a-z0-9]{1,64}$/;

/** Refuses a name that CloudEvents allows no attribute; `shown` is how an error calls it. */
export function checkExtensionName(name: string, shown: string): void {
  if (!extensionName.test(name) || name === 'data') {
    refuseField(shown, 'an attribute has a name of 1–64 of a–z 0–9');
  }
}

/** Refuses a value that CloudEvents gives no attribute: it has strings, numbers and booleans. */
export function checkExtensionValue(name: string, node: JsonNode): void {
  if (node.kind !== 'string' && node.kind !== 'number' && node.kind !== 'boolean') {
    refuseField(name, `expected a string, number or boolean, got ${node.kind}`);
  }
  if (name === 'dataschema' && node.kind !== 'string') refuseField(name, `expected a string, got ${node.kind}`);
  if (node.kind === 'string' && !isCleanText(node.value)) {
    refuseField(name, 'a control character, lone surrogate or noncharacter');
  }
}

function scanExact(text: string, field: string, maxDepth: number): JsonNode {
  const node = scanJson(text, { field, maxDepth, duplicates: 'refuse', loneSurrogates: 'refuse' });
  if (node.start !== 0 || node.end !== text.length) refuseField(field, 'blanks around the value');
  return node;
}

/** Refuses extension attributes that an envelope could not be read back with (E2). */
export function checkExtensions(extensions: readonly ExtensionAttribute[]): void {
  const names = new Set<string>();
  for (const { name, valueText } of extensions) {
    checkExtensionName(name, pathPart(name));
    if (knownAttributes.has(name) || names.has(name)) refuseField(name, 'stands twice');
    names.add(name);
    checkExtensionValue(name, scanExact(valueText, name, 1));
  }
}

/** Refuses foreign `data` that is no JSON text (E2). */
export function checkJsonData(data: EnvelopeData): void {
  if (data.kind === 'json') scanExact(data.text, 'data', maxEnvelopeDepth - 1);
}
