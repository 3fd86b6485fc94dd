/**
 * The operator's aliases: which secret opens what other software has sealed under a key id of its own (protocol.md E7).
 * Law: a foreign key id opens through an alias alone, and an alias names one secret.
 */
import { isToken } from '../protocol/subject.ts';

const maxKeyId = 192;

/** `KEYID=ID` in its two parts; undefined if it is none. The last `=` parts them. */
function partsOf(alias: string): readonly [keyId: string, secretId: string] | undefined {
  const at = alias.lastIndexOf('=');
  const [keyId, secretId] = [alias.slice(0, at), alias.slice(at + 1)];
  const isFit = at > 0 && keyId.length <= maxKeyId && /^[!-~]+$/.test(keyId) && isToken(secretId);
  return isFit ? [keyId, secretId] : undefined;
}

/** Whether a text is one alias. */
export function isKeyAlias(text: string): boolean {
  return partsOf(text) !== undefined;
}

/** Key id → secret id, of the setting's text; what is no alias is left out. */
export function keyAliasesOf(text: string | null): ReadonlyMap<string, string> {
  const parts = (text ?? '').split(',').map((one) => partsOf(one.trim()));
  return new Map(parts.filter((one) => one !== undefined));
}
