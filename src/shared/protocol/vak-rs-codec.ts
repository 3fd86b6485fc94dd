/**
 * The envelope as JSON of the Rust crate vak-bus (protocol.md E5): the members of its `MessageEnvelope`, in its order.
 * Law: an envelope comes back with the same attributes and payload bytes, so with the same leaf; what the crate has no place for
 * is refused by name. `subject`, which it has not either, rides along: its reader passes over members that it does not know.
 */
import { toTextStrict, utf8 } from '../base/bytes.ts';
import { type JsonNodeMember, scanJson } from '../base/json-scan.ts';
import type { Envelope } from './envelope.ts';
import { payloadBytesOf } from './envelope-codec.ts';
import { checkAttributes, checkEnvelope } from './envelope-fields.ts';
import { refuseField } from './refuse-field.ts';
import { readVakRs } from './vak-rs-reader.ts';

/** Largest message that is read or written, in bytes: a payload of numbers takes up to four characters a byte. */
const maxVakRsBytes = 4 * 1_048_576;
/** The message, one object in it, and a level for what is found out to be wrong. */
const maxDepth = 3;

/**
 * Reads a message of vak-bus (E5). Throws `limit-exceeded` above 4 MiB, `unsupported` for another algorithm, else `invalid-payload`;
 * `details.field` is the path (`lineage.seq_num`), or for what E1 refuses the attribute's name in the envelope.
 */
export function decodeVakRs(bytes: Uint8Array): Envelope {
  checkSize(bytes.length);
  const json = toTextStrict(bytes, 'message');
  const root = scanJson(json, { field: '', maxDepth, duplicates: 'refuse', loneSurrogates: 'refuse' });
  const envelope = readVakRs(root);
  checkAttributes(envelope);
  return envelope;
}

function checkSize(sizeBytes: number): void {
  if (sizeBytes <= maxVakRsBytes) return;
  refuseField('message', `${sizeBytes} bytes, at most ${maxVakRsBytes}`, 'limit-exceeded');
}

function refuseLost(field: string): never {
  return refuseField(field, 'vak-bus has no place for it; it would be lost', 'unsupported');
}

function held(field: string, value: string | undefined): string {
  return value ?? refuseField(field, 'missing, and vak-bus demands it', 'unsupported');
}

/** Refuses what the crate has no place for. */
function checkNothingLost({ signed, causationid, resumes, extensions }: Envelope): void {
  if (signed !== undefined) refuseLost('signature');
  if (causationid !== undefined) refuseLost('causationid');
  if (resumes !== undefined) refuseLost('resumes');
  const [first] = extensions;
  if (first !== undefined) refuseLost(first.name);
}

/**
 * Writes an envelope as a message of vak-bus (E5). Throws `unsupported` naming the attribute that the crate has no place for or cannot do
 * without, `limit-exceeded` above 4 MiB, `invalid-payload` for what E1 refuses.
 */
export function encodeVakRs(envelope: Envelope): Uint8Array {
  checkEnvelope(envelope);
  checkNothingLost(envelope);
  const { id, source, type, time, subject, seal } = envelope;
  const payload = payloadBytesOf(envelope);
  // Two characters a byte at least: no larger text is made only to be refused.
  checkSize(payload.length * 2);
  const message = {
    specversion: '1.0',
    id,
    source,
    type,
    time,
    datacontenttype: held('datacontenttype', envelope.datacontenttype),
    ...(subject === undefined ? {} : { subject }),
    trace: { traceparent: held('traceparent', envelope.traceparent), tracestate: envelope.tracestate ?? null },
    lineage: {
      workspace_id: envelope.workspaceid,
      // A member that is undefined is not written.
      session_id: envelope.sessionid,
      parent_agent_id: envelope.parentagentid,
      origin_agent_id: envelope.agentid,
      seq_num: envelope.seqnum,
      prev_event_hash: envelope.prevhash,
      payload_hash: envelope.payloadhash,
    },
    payload: [...payload],
    encrypted: seal !== undefined,
    encryption: seal === undefined ? undefined : { algorithm: seal.encalg, key_id: seal.keyid, nonce_hex: seal.nonce },
  };
  const bytes = utf8(JSON.stringify(message));
  checkSize(bytes.length);
  return bytes;
}

/** Whether bytes are a JSON object with the members `lineage` and `payload`; whether it is a sound one, {@link decodeVakRs} says. */
export function looksLikeVakRs(bytes: Uint8Array): boolean {
  if (bytes.length > maxVakRsBytes) return false;
  try {
    const json = toTextStrict(bytes, 'message');
    if (!json.includes('"lineage"') || !json.includes('"payload"')) return false;
    const root = scanJson(json, { field: '', duplicates: 'keep' });
    return root.kind === 'object' && hasMember(root.members, 'lineage') && hasMember(root.members, 'payload');
  } catch {
    return false;
  }
}

function hasMember(members: readonly JsonNodeMember[], name: string): boolean {
  return members.some((member) => member.name === name);
}
