/**
 * What gives a secret away where none may stand: settings file, command line (protocol.md I3).
 * Law: it says of what kind the secret is, never a character of it.
 */

/** How a secret is known. */
export type SecretShape = 'an nkey seed' | 'a JWT' | 'a private key' | 'a password in an address';

const shapes: readonly (readonly [SecretShape, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9 ]+ )?(?:PRIVATE KEY|SEED|JWT)-----/],
  // 58 characters when whole; one that was cut or mistyped gives away as much.
  ['an nkey seed', /(?<![A-Za-z0-9])S[UAONCX][A-Z2-7]{38,}/],
  ['a JWT', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}/],
  ['a password in an address', /[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#@]*@/],
];

/** What kind of secret stands somewhere in the text, if any is recognised. */
export function secretShapeOf(text: string): SecretShape | undefined {
  return shapes.find(([, form]) => form.test(text))?.[0];
}

/** Name of the bus credentials' JWT, in the environment and in the key store. */
export const natsJwtName = 'VAK_BUS_NATS_CREDENTIALS_JWT';
/** Name of the bus credentials' nkey seed, in the environment and in the key store. */
export const natsSeedName = 'VAK_BUS_NATS_NKEY_SEED';
/** Variable that holds the workspace secret unless the setting `workspaceSecretEnv` names another. */
export const workspaceSecretName = 'VAK_WORKSPACE_SECRET';

const secretNames = new Set(
  [natsJwtName, natsSeedName, workspaceSecretName, 'VAK_PASSPHRASE', 'workspaceSecrets', 'nkeySeed', 'bus.natsNkeySeed']
    .concat(['bus.credentialsJwt', 'credentialsJwt', 'natsCredentials', 'passphrase', 'password', 'seed', 'privateKey'])
    .concat(['workspaceSecret', 'natsNkeySeed', 'natsCredentialsJwt'])
    .map(plainName),
);

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Whether a key or an option of this name would hold a secret, however it is spelled. */
export function isSecretName(name: string): boolean {
  return name.length <= 64 && secretNames.has(plainName(name));
}

/** Whether a text is fit to be a variable's name and does not look like a secret that stands in its place. */
export function isVariableName(text: string): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text) || secretShapeOf(text) !== undefined) return false;
  // Names are words between underscores; keys in hex, base32 or base64 are long runs, or mix cases and digits.
  return text.split('_').every((word) => word.length <= 24 && !(word.length >= 12 && isMixed(word)));
}

function isMixed(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && /[0-9]/.test(word);
}
