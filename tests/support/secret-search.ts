/** Looks for known secrets in texts and files, in every form in which they could have leaked. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A secret that must not be found. */
export interface KnownSecret {
  readonly name: string;
  readonly bytes: Uint8Array;
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

function formsOf({ bytes }: KnownSecret): Buffer[] {
  const raw = Buffer.from(bytes);
  const texts = [...base64Cores(bytes, 'base64'), ...base64Cores(bytes, 'base64url'), raw.toString('hex')];
  texts.push(raw.toString('hex').toUpperCase(), JSON.stringify(raw.toString('latin1')).slice(1, -1));
  return [raw, Buffer.from(raw.toString('utf8'), 'utf16le'), ...texts.map((text) => Buffer.from(text))];
}

function hitsIn(place: string, content: Buffer, secrets: readonly KnownSecret[]): string[] {
  return secrets
    .filter((secret) => formsOf(secret).some((form) => content.includes(form)))
    .map(({ name }) => `${place}: ${name}`);
}

/** Every place where a secret is found: `what: secret`. Folders are read whole. */
export function findSecrets(
  places: { readonly texts?: Readonly<Record<string, string>>; readonly folders?: readonly string[] },
  secrets: readonly KnownSecret[],
): string[] {
  const inTexts = Object.entries(places.texts ?? {}).flatMap(([name, text]) =>
    hitsIn(name, Buffer.from(text), secrets),
  );
  const inFiles = (places.folders ?? []).flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .flatMap((path) => [...hitsIn(path, readFileSync(path), secrets), ...hitsIn(path, Buffer.from(path), secrets)]),
  );
  return [...inTexts, ...inFiles];
}
