/**
 * What in a text looks like a secret (docs/spec/triage.md D11).
 * Law: pure, of bounded work for each character; in doubt it is a secret, for a bundle leaves the house.
 */

/** Kinds that stand in `[redacted: kind]`. */
export const secretKinds = [
  ...['private-key', 'nkey-seed', 'jwt', 'cloud-key', 'token', 'authorization', 'cookie', 'url-password'],
  ...['named', 'card'],
] as const;
export type SecretKind = (typeof secretKinds)[number];

/** What takes the place of a secret. */
export const markOf = (kind: SecretKind | 'payload'): string => `[redacted: ${kind}]`;

/** Told of each that was found. */
export type OnSecret = (kind: SecretKind) => void;

interface Rule {
  readonly kind: SecretKind;
  readonly pattern: RegExp;
  /** What is written in its place; undefined: it is none. The mark alone unless told. */
  readonly replace?: (found: readonly string[], mark: string) => string | undefined;
}

const maxCard = 19;
const markAlone = (_found: readonly string[], mark: string): string => mark;
const keepFirst = ([, before = '']: readonly string[], mark: string): string => `${before}${mark}`;

/** Lengths and first digits of cards that are in use. */
const cardNumber =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|35\d{14}|6\d{15,18})$/;

function isCard(digits: string): boolean {
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Whether some groups of digits that follow each other are one: what stands before or behind may be another number. */
function holdsCard(run: string): boolean {
  const groups = run.split(/[ -]/);
  return groups.some((_, from) => {
    let digits = '';
    return groups.slice(from).some((group) => {
      digits += group;
      return digits.length <= maxCard && isCard(digits);
    });
  });
}

/** The first of them is looked for first. */
const rules: readonly Rule[] = [
  {
    kind: 'private-key',
    // One that was cut off goes to the end.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,8}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,8}-----|$)/g,
  },
  { kind: 'nkey-seed', pattern: /(?<![A-Za-z0-9])S[ACNOUXP][A-Z2-7]{56}(?![A-Za-z0-9])/g },
  {
    kind: 'cloud-key',
    pattern:
      /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  { kind: 'cloud-key', pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g },
  {
    kind: 'token',
    pattern:
      /(?<![A-Za-z0-9])(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{32,}|ya29\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|sk-[\w-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{40,})/g,
  },
  {
    kind: 'authorization',
    pattern:
      /((?:proxy-)?authorization\\*["']?\s{0,8}[:=]\s{0,8}\\*["']?)(?!\[redacted)(?:(?:bearer|basic|digest|token|apikey|negotiate)\s{1,8})?[^\s"'\\]+/gi,
    replace: keepFirst,
  },
  { kind: 'authorization', pattern: /((?<![A-Za-z])bearer\s{1,8})[A-Za-z0-9._~+/=-]{6,}/gi, replace: keepFirst },
  { kind: 'cookie', pattern: /((?<![A-Za-z])(?:set-)?cookie\s{0,8}[:=]\s{0,8})[^\r\n"'\\]+/gi, replace: keepFirst },
  {
    kind: 'url-password',
    pattern: /((?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/)([^\s/?#"'<>]{1,512})@/gi,
    // A name without a password is kept, unless it is as long as a token.
    replace([, scheme = '', user = ''], mark) {
      const colon = user.indexOf(':');
      if (colon === -1) return user.length < 16 ? undefined : `${scheme}${mark}@`;
      return `${scheme}${user.slice(0, colon)}:${mark}@`;
    },
  },
  {
    // A password with a slash in it; a port is none.
    kind: 'url-password',
    pattern:
      /((?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#"'<>@]{0,256}:)(?!\d{1,5}[/?#]|\[redacted: )[^\s"'<>]{1,512}@/gi,
    replace: ([, before = ''], mark) => `${before}${mark}@`,
  },
  {
    kind: 'card',
    pattern: /(?<![A-Za-z0-9])\d(?:[ -]?\d){12,63}/g,
    replace: ([text = ''], mark) => (holdsCard(text) ? mark : undefined),
  },
];

const jwtRun = /[A-Za-z0-9_-]{11,}/g;
const afterRun = /\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/y;

/** Tokens `eyJ….….…`: looked for in runs of their letters, so that each run is read once. */
function redactJwts(text: string, onSecret: OnSecret): string {
  let [done, from] = ['', 0];
  jwtRun.lastIndex = 0;
  for (let found = jwtRun.exec(text); found !== null; found = jwtRun.exec(text)) {
    const at = found[0].indexOf('eyJ');
    afterRun.lastIndex = jwtRun.lastIndex;
    const rest = at === -1 || found[0].length - at < 11 ? null : afterRun.exec(text);
    if (rest === null) continue;
    onSecret('jwt');
    done += `${text.slice(from, found.index + at)}${markOf('jwt')}`;
    from = afterRun.lastIndex;
    jwtRun.lastIndex = from;
  }
  return done + text.slice(from);
}

/** A key whose beginning was cut off, as the end of an output may have it: all up to its end, as far as it can be one. */
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,8}-----/g;
const keyText = /[A-Za-z0-9+/=\s\\:]/;

function redactCutKeys(text: string, onSecret: OnSecret): string {
  let [done, from] = ['', 0];
  for (const found of text.matchAll(keyEnd)) {
    let start = found.index;
    while (start > from && keyText.test(text[start - 1] ?? '')) start--;
    done += `${text.slice(from, start)}${markOf('private-key')}`;
    from = found.index + found[0].length;
    onSecret('private-key');
  }
  return done + text.slice(from);
}

const stems =
  /passw|passphrase|passwd|secret|token|apikey|accesskey|privatekey|signingkey|encryptionkey|masterkey|authkey|credential|kennwort/;
const words = new Set(['pass', 'pwd', 'auth', 'authorization', 'bearer', 'cookie', 'seed', 'jwt', 'pat', 'psk', 'otp']);

/** Whether the name of a field, option or variable says that its value is a secret. */
export function isSecretName(name: string): boolean {
  if (stems.test(name.replaceAll(/[^A-Za-z]/g, '').toLowerCase()) || /pwd$/i.test(name)) return true;
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .some((word) => words.has(word.toLowerCase()));
}

/** A name and what parts it from its value: `name=`, `"name": `, `name => `, and of options also `--name `. */
const naming = /(--?)?([A-Za-z][\w.-]{0,127})(\\*["']?\s{0,64}(?:=>|:=|[=:])\s{0,64}|\s{1,64})(?=\S)/g;
/** A word for nothing, or what was taken out already and stands alone. */
const harmless = /^(?:(?:null|undefined|none|nil|true|false)(?![\w-])|\[redacted: [a-z-]{1,16}\]$)/i;
const opening = /(\\*)(["'`])/y;
/** What was taken out already belongs to the value as a whole, its space too. */
const bare = /(?:\[redacted: [a-z-]{1,16}\]|[^\s&;"'`<>])+/y;

/** Where a quoted value ends: at the same sign with no more backslashes than at its beginning, or at the end of the line. */
function endOfQuoted(
  text: string,
  from: number,
  { slashes, sign }: { readonly slashes: number; readonly sign: string },
) {
  let run = 0;
  for (let at = from; at < text.length && text[at] !== '\n'; at++) {
    const isEnd = text[at] === sign && (slashes === 0 ? run % 2 === 0 : run <= slashes);
    if (isEnd) return at - Math.min(run, slashes);
    run = text[at] === '\\' ? run + 1 : 0;
  }
  const line = text.indexOf('\n', from);
  return line === -1 ? text.length : line;
}

/** Place of a value that begins there; undefined: there is none. */
function valueAt(text: string, at: number): { readonly from: number; readonly to: number } | undefined {
  opening.lastIndex = at;
  const quoted = opening.exec(text);
  if (quoted !== null) {
    const [all, slashes = '', sign = ''] = quoted;
    const from = at + all.length;
    return { from, to: endOfQuoted(text, from, { slashes: slashes.length, sign }) };
  }
  bare.lastIndex = at;
  const found = bare.exec(text);
  return found === null ? undefined : { from: at, to: at + found[0].length };
}

/** Values that a name calls secret. */
function redactNamed(text: string, onSecret: OnSecret): string {
  let [done, from] = ['', 0];
  naming.lastIndex = 0;
  for (let found = naming.exec(text); found !== null; found = naming.exec(text)) {
    const [all, dashes, name = '', sign = ''] = found;
    const next = found.index + all.length;
    const isOption = dashes === '--' || sign.trim() !== '';
    const place = isOption && isSecretName(name) ? valueAt(text, next) : undefined;
    const value = place === undefined ? '' : text.slice(place.from, place.to);
    // A name may be the value of the one before it: `auth: token=…`.
    naming.lastIndex = found.index + (dashes ?? '').length + name.length;
    if (place === undefined || value === '' || harmless.test(value)) continue;
    onSecret('named');
    done += `${text.slice(from, place.from)}${markOf('named')}`;
    from = place.to;
    naming.lastIndex = place.to;
  }
  return done + text.slice(from);
}

/** The text without what looks like a secret. */
export function redactText(text: string, onSecret: OnSecret): string {
  let left = redactJwts(text, onSecret);
  for (const { kind, pattern, replace = markAlone } of rules) {
    left = left.replaceAll(pattern, (...found) => {
      const groups = found.filter((one) => typeof one === 'string');
      const put = replace(groups, markOf(kind));
      if (put === undefined) return groups[0] ?? '';
      onSecret(kind);
      return put;
    });
  }
  return redactNamed(redactCutKeys(left, onSecret), onSecret);
}
