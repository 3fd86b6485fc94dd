/**
 * Additional authenticated data of a sealed payload (protocol.md E6): `{id}:{type}:{workspaceid}:{seqnum}`.
 * Law: injective: no field that passes E1 has a `:`, so equal AADs mean equal fields.
 */
import { type AadSource, checkAadSource } from './envelope-fields.ts';

/** One field of the AAD as it stands in it. */
export interface AadField {
  readonly name: 'id' | 'type' | 'workspaceid' | 'seqnum';
  readonly value: string;
}

/** The fields in order; throws `invalid-payload` naming the one that breaks E1. */
export function aadFieldsOf(fields: AadSource): readonly AadField[] {
  checkAadSource(fields);
  return [
    { name: 'id', value: fields.id },
    { name: 'type', value: fields.type },
    { name: 'workspaceid', value: fields.workspaceid },
    { name: 'seqnum', value: String(fields.seqnum) },
  ];
}

/** The AAD as text, of an envelope's fields or of what {@link aadFieldsOf} gave; its UTF-8 is what is authenticated (E6). */
export function aadOf(of: AadSource | readonly AadField[]): string {
  const fields = 'id' in of ? aadFieldsOf(of) : of;
  return fields.map(({ value }) => value).join(':');
}
