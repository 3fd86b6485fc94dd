/**
 * Values of a workspace's state: made and signed by an operator, verified by everybody (protocol.md E13, A4, W9).
 * Law: a value counts only from whoever holds `operator` when it is stored, and never again after a later one of its key was seen.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { type StateRecord, stateRecord } from '../../shared/protocol/identity-records.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import { decodeNkey, type NkeySigner } from './nkey.ts';
import { checkRecordSignature, parseRecord } from './signed-record.ts';
import type { SignerQuestion, SignerVerdict } from './signer-resolution.ts';

type StateFields = Omit<StateRecord, 'v' | 'signature'>;

/** `L("vak-state-v1", ws, key, value, at, peer, sign)`, the key of the signer as raw bytes. */
function stateMessage({ ws, key, value, at, peer, sign }: StateFields): Uint8Array {
  return labelledFields('vak-state-v1', [ws, key, value, at, peer, decodeNkey(sign, 'state sign')]);
}

/** The bytes of a value, signed. Throws `invalid-payload` if a field does not fit, `locked`. */
export function writeStateValue(fields: Omit<StateFields, 'sign'>, signer: NkeySigner): Uint8Array {
  const named = { ...fields, sign: signer.nkey };
  const signature = toBase64Url(signer.sign(stateMessage(named)));
  return utf8(JSON.stringify(parseRecord(stateRecord, { v: 1, ...named, signature }, 'state')));
}

/** A value as its bucket keeps it. */
export interface StoredValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly storedMs: number;
}

/** `unknown`: nobody can tell yet who holds what. `isFinal`: nothing that may yet become known says otherwise. */
export type StateReading =
  | { readonly kind: 'value'; readonly value: unknown; readonly by: string; readonly atMs: number }
  /** `by`: who signed it, undefined where nobody did. */
  | { readonly kind: 'refused'; readonly why: string; readonly isFinal: boolean; readonly by?: string }
  | { readonly kind: 'unknown' };

export interface StateReader {
  /** Reads an entry of the workspace's bucket of state; never throws for what is in it. */
  read(entry: StoredValue): StateReading;
}

export interface StateReaderDeps {
  readonly workspace: string;
  readonly verifier: Ed25519Verifier;
  /** Undefined while the grants are not known. */
  readonly resolve: (question: SignerQuestion) => SignerVerdict | undefined;
}

/** A clock that is further ahead would make every later value an older one, ms. */
const maxAheadMs = 10 * 60_000;
const maxEntryBytes = 16 * 1024;
/** Keys whose newest value is remembered. */
const maxKeys = 10_000;

const refused = (why: string, by?: string): StateReading => ({
  ...{ kind: 'refused', why, isFinal: true },
  ...(by === undefined ? {} : { by }),
});

/** Creates a reader that remembers how far each key has come. */
export function createStateReader({ workspace, verifier, resolve }: StateReaderDeps): StateReader {
  const newest = new Map<string, number>();

  function parse({ key, value }: StoredValue): StateRecord & { readonly parsed: unknown } {
    if (value.length > maxEntryBytes) {
      throw new VakError('invalid-payload', `state: ${value.length} bytes, at most ${maxEntryBytes} are taken`);
    }
    const record = parseRecord(stateRecord, JSON.parse(toTextStrict(value, 'state')), 'state');
    if (record.ws !== workspace || record.key !== key) {
      throw new VakError('invalid-payload', 'state: it was signed for another workspace or key');
    }
    const { sign: nkey, signature } = record;
    checkRecordSignature({ what: 'state', nkey, message: stateMessage(record), signature }, verifier);
    return { ...record, parsed: JSON.parse(record.value) };
  }

  function judge(entry: StoredValue): StateReading {
    const { peer, sign: signer, at, parsed: value } = parse(entry);
    const verdict = resolve({ ws: workspace, peer, signer, roles: ['operator'], at: entry.storedMs });
    if (verdict === undefined) return { kind: 'unknown' };
    if (verdict.kind !== 'granted') return { kind: 'refused', why: verdict.why, isFinal: false, by: peer };
    if (at > entry.storedMs + maxAheadMs) return refused('It was signed with a clock that is far ahead.', peer);
    if (at < (newest.get(entry.key) ?? 0)) return refused('A later value of its key was seen before.', peer);
    if (newest.size < maxKeys || newest.has(entry.key)) newest.set(entry.key, at);
    return { kind: 'value', value, by: peer, atMs: at };
  }

  return {
    read(entry) {
      try {
        return judge(entry);
      } catch (error) {
        if (isVakError(error)) return refused(`${error.message}.`);
        if (error instanceof SyntaxError) return refused('It is no JSON.');
        throw error;
      }
    },
  };
}
