/** Looks for known secrets in texts, bytes and files, in every form in which they could have leaked. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A secret that must not be found. */
export interface KnownSecret {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Where to look. Folders are read whole. */
export interface SearchPlaces {
  readonly texts?: Readonly<Record<string, string | Uint8Array>>;
  readonly folders?: readonly string[];
}

/** Base64 of a text depends on where in it the secret stands: the digits that all three places have for sure. */
function base64Cores(bytes: Uint8Array, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString(encoding)
      .replace(/=+$/, '');
    return text.slice(before === 0 ? 0 : before + 1, -1);
  });
}

const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

function formsOf({ bytes }: KnownSecret): readonly Buffer[] {
  const raw = Buffer.from(bytes);
  const hex = raw.toString('hex');
  const texts = [...base64Cores(bytes, 'base64'), ...base64Cores(bytes, 'base64url'), hex, hex.toUpperCase()];
  texts.push(...[raw.toString('latin1'), raw.toString('utf8')].map((text) => JSON.stringify(text).slice(1, -1)));
  texts.push(encodeURIComponent(raw.toString('utf8')));
  const forms = [raw, wide(raw.toString('utf8')), wide(raw.toString('latin1'))];
  forms.push(...texts.map((text) => Buffer.from(text)), ...[hex, raw.toString('base64')].map(wide));
  // Each once: most forms of a plain text are that text.
  return [...new Map(forms.map((form) => [form.toString('latin1'), form])).values()];
}

/** Every place where a secret is found: `what: secret`. */
export function findSecrets(places: SearchPlaces, secrets: readonly KnownSecret[]): string[] {
  const known = secrets.map((secret) => ({ name: secret.name, forms: formsOf(secret) }));
  const hitsIn = (place: string, content: Buffer): string[] =>
    known.filter(({ forms }) => forms.some((form) => content.includes(form))).map(({ name }) => `${place}: ${name}`);
  const inTexts = Object.entries(places.texts ?? {}).flatMap(([name, text]) => hitsIn(name, Buffer.from(text)));
  const inFiles = (places.folders ?? []).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
      .flatMap((path) => [...hitsIn(path, readFileSync(path)), ...hitsIn(path, Buffer.from(path))]),
  );
  return [...inTexts, ...inFiles];
}
