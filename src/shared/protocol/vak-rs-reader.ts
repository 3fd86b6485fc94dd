/**
 * From the JSON of a vak-bus message to an envelope (protocol.md E5).
 * Law: every member is read or refused by its path; nothing of a message is passed over.
 */
import { type JsonNode, pathPart } from '../base/json-scan.ts';
import type { Envelope, SealAttributes } from './envelope.ts';
import { kindOf, refuseField } from './refuse-field.ts';

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;
type Members = ReadonlyMap<string, JsonNode>;

const messageNames = [
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'datacontenttype',
  'subject',
  'trace',
  'lineage',
  'payload',
  'encrypted',
  'encryption',
];
const traceNames = ['traceparent', 'tracestate'];
const lineageNames = [
  'workspace_id',
  'session_id',
  'parent_agent_id',
  'origin_agent_id',
  'seq_num',
  'prev_event_hash',
  'payload_hash',
];
const encryptionNames = ['algorithm', 'key_id', 'nonce_hex'];

/** A number as the crate's `u64` is written. */
const wholeNumber = /^(?:0|[1-9]\d*)$/;

/** The members of an object; one that the crate does not know is refused, as it would be lost. */
function membersOf(node: ObjectNode, path: string, names: readonly string[]): Members {
  const members = new Map<string, JsonNode>();
  for (const { name, value } of node.members) {
    if (!names.includes(name)) refuseField(`${path}${pathPart(name)}`, 'vak-bus has no such member');
    // To serde, an `Option` that is null is not there.
    if (value.kind !== 'null') members.set(name, value);
  }
  return members;
}

function nested(members: Members, name: string, names: readonly string[]): Members {
  const node = members.get(name);
  if (node?.kind === 'object') return membersOf(node, `${name}.`, names);
  return refuseField(name, `expected an object, got ${node?.kind ?? 'nothing'}`);
}

function optionalText(members: Members, name: string, path: string): string | undefined {
  const node = members.get(name);
  if (node === undefined || node.kind === 'string') return node?.value;
  return refuseField(`${path}${name}`, `expected a string, got ${node.kind}`);
}

function text(members: Members, name: string, path: string): string {
  return optionalText(members, name, path) ?? refuseField(`${path}${name}`, 'missing');
}

function readSeqnum(lineage: Members): number {
  const node = lineage.get('seq_num');
  if (node?.kind !== 'number' || !wholeNumber.test(node.text)) {
    return refuseField('lineage.seq_num', `expected a whole number, got ${node?.kind ?? 'nothing'}`);
  }
  const seqnum = Number(node.text);
  if (!Number.isSafeInteger(seqnum)) {
    refuseField('lineage.seq_num', `${node.text.length} digits, above 2^53−1, which is the largest that is known here`);
  }
  return seqnum;
}

function readPayload(node: JsonNode | undefined): Uint8Array {
  if (node?.kind !== 'array') return refuseField('payload', `expected an array, got ${node?.kind ?? 'nothing'}`);
  const bytes = new Uint8Array(node.items.length);
  for (const [index, item] of node.items.entries()) {
    if (item.kind !== 'number' || item.text.length > 3 || !wholeNumber.test(item.text) || Number(item.text) > 255) {
      refuseField(`payload.${index}`, `expected a whole number from 0 to 255, got ${item.kind}`);
    }
    bytes[index] = Number(item.text);
  }
  return bytes;
}

function readSeal(members: Members): SealAttributes | undefined {
  const encrypted = members.get('encrypted');
  if (encrypted?.kind !== 'boolean') {
    return refuseField('encrypted', `expected a boolean, got ${encrypted?.kind ?? 'nothing'}`);
  }
  if (!encrypted.value) {
    return members.has('encryption') ? refuseField('encryption', 'there, and encrypted is false') : undefined;
  }
  const encryption = nested(members, 'encryption', encryptionNames);
  const encalg = text(encryption, 'algorithm', 'encryption.');
  if (encalg !== 'AES-256-GCM') {
    return refuseField('encryption.algorithm', `expected AES-256-GCM, got ${kindOf(encalg)}`, 'unsupported');
  }
  return {
    encalg,
    keyid: text(encryption, 'key_id', 'encryption.'),
    nonce: text(encryption, 'nonce_hex', 'encryption.'),
  };
}

/** The envelope that a message holds; E1 is still to be checked. Throws `invalid-payload` or `unsupported` naming the path. */
export function readVakRs(root: JsonNode): Envelope {
  if (root.kind !== 'object') return refuseField('message', `expected an object, got ${root.kind}`);
  const members = membersOf(root, '', messageNames);
  if (text(members, 'specversion', '') !== '1.0')
    refuseField('specversion', 'expected 1.0, which is all that is known');
  const trace = nested(members, 'trace', traceNames);
  const lineage = nested(members, 'lineage', lineageNames);
  return {
    id: text(members, 'id', ''),
    source: text(members, 'source', ''),
    type: text(members, 'type', ''),
    time: text(members, 'time', ''),
    datacontenttype: text(members, 'datacontenttype', ''),
    subject: optionalText(members, 'subject', ''),
    data: { kind: 'bytes', bytes: readPayload(members.get('payload')) },
    traceparent: text(trace, 'traceparent', 'trace.'),
    tracestate: optionalText(trace, 'tracestate', 'trace.'),
    workspaceid: text(lineage, 'workspace_id', 'lineage.'),
    agentid: text(lineage, 'origin_agent_id', 'lineage.'),
    sessionid: optionalText(lineage, 'session_id', 'lineage.'),
    parentagentid: optionalText(lineage, 'parent_agent_id', 'lineage.'),
    seqnum: readSeqnum(lineage),
    prevhash: text(lineage, 'prev_event_hash', 'lineage.'),
    payloadhash: text(lineage, 'payload_hash', 'lineage.'),
    causationid: undefined,
    resumes: undefined,
    seal: readSeal(members),
    signed: undefined,
    extensions: [],
  };
}
