/**
 * Cards of peers: made, signed and verified (protocol.md I1).
 * Law: every field of a card is under its signature, and its box key is checked like the one that signs.
 */
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { type Card, cardRecord } from '../../shared/protocol/identity-records.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { decodeNkey, type NkeySigner } from './nkey.ts';
import { checkRecordSignature, digestRecord, parseRecord, type RecordChecks, type Verified } from './signed-record.ts';

/** A card whose signature counts. */
export type VerifiedCard = Verified<Card>;

/** What a card says; the key that signs it is the signer's. */
export type CardFields = Omit<Card, 'v' | 'sign' | 'signature'>;

/** `L("vak-card-v1", ws, peer, kind, agent, name, sign, box, boxExpiresAt, serial)`, keys as raw bytes. */
function cardMessage(card: Omit<Card, 'v' | 'signature'>): Uint8Array {
  return labelledFields('vak-card-v1', [
    card.ws,
    card.peer,
    card.kind,
    card.agent,
    card.name,
    decodeNkey(card.sign, 'card sign'),
    fromBase64Url(card.box, 'card box'),
    card.boxExpiresAt,
    card.serial,
  ]);
}

/** Signs a card with the key that it will name. Throws `invalid-payload` if a field does not fit. */
export function signCard(fields: CardFields, signer: NkeySigner): VerifiedCard {
  const unsigned = { v: 1 as const, ...fields, sign: signer.nkey };
  const signature = toBase64Url(signer.sign(cardMessage(unsigned)));
  return parseRecord(cardRecord, { ...unsigned, signature }, 'card') as VerifiedCard;
}

/** Verifies what came: schema, both keys, signature. Throws `invalid-payload` that names the field. */
export function verifyCard(value: unknown, checks: RecordChecks): VerifiedCard {
  const card = parseRecord(cardRecord, value, 'card');
  checkRecordSignature(
    { what: 'card', nkey: card.sign, message: cardMessage(card), signature: card.signature },
    checks.verifier,
  );
  checks.keys.checkX25519(fromBase64Url(card.box, 'card box'), 'card box');
  return card as VerifiedCard;
}

/** Names a card; see {@link digestRecord}. */
export function digestCard(card: VerifiedCard): string {
  return digestRecord(cardMessage(card), card.signature);
}
