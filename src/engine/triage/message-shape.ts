/**
 * The shape of an error's message: what differs from one occurrence to the next is folded, what tells causes apart is kept.
 * Law: pure and linear; a message of any length costs no more than its first 4 KiB, and a shape folds to itself.
 */

/** Characters of a message that are looked at. */
const maxRead = 4096;
/** Lines that are kept: what follows lists or quotes, and differs. */
const maxLines = 3;
/** Characters of a shape. */
const maxShape = 300;

/** Digits of any script; separators of thousands and decimals as people write them: 1,234.5 · 1.234,5 · 1’234 · 1 234 with a hard space. */
const number = String.raw`[+\-\u2212]?\p{Nd}+(?:[.,'\u2019\u00a0\u202f\u066b\u066c]\p{Nd}+)*(?:[eE][+-]?\p{Nd}+)?`;
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const clockTime = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?`;
const zone = String.raw`(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?`;

interface Fold {
  readonly pattern: RegExp;
  readonly by: string | ((...found: string[]) => string);
}

/** Whether a word is made by a machine: letters and digits in turn, or long and of both. */
function isId(word: string): boolean {
  const runs = word.match(/\d+/g)?.length ?? 0;
  if (runs === 0 || !/[a-z]/i.test(word)) return false;
  return runs >= 3 || (runs >= 2 && word.length >= 5) || word.length >= 20;
}

const hasVariable = (text: string): boolean => text.length === 1 || text.length > 40 || /[\p{Nd}/\\@\s<]/u.test(text);

/**
 * Numbers that name a cause and no occurrence: exit codes, states of HTTP and SQL, codes of compilers and databases. They are set
 * apart before numbers are folded.
 */
const telling = new RegExp(
  [
    String.raw`\bSQLSTATE[ :=[(]{1,3}[0-9A-Z]{5}\b`,
    String.raw`\b(?:exit(?:ed)?(?: with)?(?: code| status)?|status code|error code|os error|errno|http(?: status)?|signal)[ :=#([]{1,3}\d{1,5}(?![\p{Nd}.,:-]*\p{Nd})`,
    String.raw`\b(?:status|code|error)[ =#(]{1,2}\d{1,4}(?![\p{Nd}.,:-]*\p{Nd})`,
    String.raw`\b(?:ORA|TNS|PLS|SQL|WSA|TS|CS|MSB|NU|KB)-?\d{4,6}\b`,
    String.raw`\bE0\d{3}\b`,
  ].join('|'),
  'giu',
);

const folds: readonly Fold[] = [
  {
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/@"'<>]*@)?([^\s/:?#"'<>)\]},]*)[^\s"'<>)\]},]*/gi,
    by: (_, host = '') => `<url ${host}>`,
  },
  { pattern: /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, by: '<email>' },
  { pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, by: '<id>' },
  {
    pattern: new RegExp(String.raw`\b\d{4}[-/.]\d{2}[-/.]\d{2}(?:[T ,:]{1,2}${clockTime})?${zone}`, 'g'),
    by: '<time>',
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:\d{1,2}[ /-](?:${months})[a-z]*[ /-]\d{4}|(?:${months})[a-z]* +\d{1,2}(?:,? \d{4})?)(?:[ ,:]{1,2}${clockTime})?${zone}(?: \d{4})?`,
      'g',
    ),
    by: '<time>',
  },
  { pattern: new RegExp(String.raw`\b\d{1,2}[./]\d{1,2}[./]\d{4}(?:,? ${clockTime})?`, 'g'), by: '<time>' },
  { pattern: new RegExp(String.raw`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?${zone}`, 'g'), by: '<time>' },
  { pattern: /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, by: '<address>' },
  { pattern: /\[?(?<![\w:>])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:<])\]?(?::\d{1,5}\b)?/gi, by: '<address>' },
  {
    pattern:
      /(?<![\w<>…])(?:[A-Za-z]:)?(?:[\\/][\w.@+~$%:=-]+){2,}[\\/]?|(?<![\w<>…])(?:\.{1,2}|~)?[\\/](?:[\w.@+~$%-]+[\\/])*[\w.@+~$%-]+/g,
    by: (path) => `<path>${/[:.]*$/.exec(path)?.[0]}`,
  },
  { pattern: /(?<![\w.@+/>-])[\w.@+-]+(?:[\\/][\w.@+-]+)+\.\w{1,5}\b/g, by: '<path>' },
  { pattern: /\b0x[0-9a-f]+\b/gi, by: '<hex>' },
  { pattern: /\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/gi, by: '<hex>' },
  { pattern: /\b(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d)){1,6}\b/g, by: '<duration>' },
  {
    pattern: /(?<![\w<>])[A-Za-z0-9+/_-]{28,}={0,2}(?![\w>])/g,
    by: (word) => (/\d/.test(word) && /[a-z]/i.test(word) ? '<id>' : word),
  },
  { pattern: /\b[A-Za-z0-9]{5,}\b/g, by: (word) => (isId(word) ? '<id>' : word) },
  { pattern: new RegExp(`(?<![\\p{L}\\p{Nd}_])${number}`, 'gu'), by: '<n>' },
  { pattern: /\p{Nd}+/gu, by: '<n>' },
  {
    pattern: /"[^"\n]{1,512}"|'[^'\n]{1,512}'|`[^`\n]{1,512}`|“[^”\n]{1,512}”|«[^»\n]{1,512}»/g,
    by: (text) => (hasVariable(text.slice(1, -1)) ? '“…”' : text),
  },
];

/** Letters that stand for a telling number while others are folded: of the private use area, so that nothing else matches them. */
const holder = (at: number): string => String.fromCodePoint(0xe000 + at);
const holders = /[\ue000-\ue0ff]/g;

function foldAll(text: string): string {
  const kept: string[] = [];
  const held = text.replace(holders, '?').replace(telling, (found) => {
    if (kept.length === 256) return found;
    kept.push(found);
    return holder(kept.length - 1);
  });
  const folded = folds.reduce(
    (shape, { pattern, by }) => (typeof by === 'string' ? shape.replace(pattern, by) : shape.replace(pattern, by)),
    held,
  );
  return folded.replace(holders, (found) => (kept[(found.codePointAt(0) as number) - 0xe000] as string).toLowerCase());
}

/** Folds ids, numbers, paths, hex, times, addresses and long quotations; of so many lines at most, and 300 characters. */
export function messageShape(message: string, lineCount = maxLines): string {
  const lines = message
    .slice(0, maxRead)
    .normalize('NFC')
    .split(/\r\n|[\n\r\u2028\u2029⏎]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines
    .slice(0, lineCount)
    .map((line) =>
      foldAll(line)
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/(<n>|<id>|<hex>|<path>|“…”)(?:(?:, ?| | ?\| ?)\1)+/g, '$1 …'),
    )
    .join(' ⏎ ')
    .replace(/\s+/g, ' ')
    .slice(0, maxShape);
}
