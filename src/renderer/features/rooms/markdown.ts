/**
 * Markdown of messages as a tree (protocol.md R11): a small subset that has no HTML, no images and no addresses that are fetched. Pure.
 * Law: any text parses, in time that grows as its length does; what is not of the subset stays as it was typed.
 */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly children: readonly Inline[] }
  /** `text` is undefined where only the address was typed. */
  | { readonly kind: 'link'; readonly text: string | undefined; readonly url: string }
  | { readonly kind: 'mention'; readonly peer: string };

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | { readonly kind: 'list'; readonly first: number | undefined; readonly items: readonly (readonly Inline[])[] };

const maxDepth = 4;
const marks = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'struck'],
  ['*', 'emphasis'],
  ['_', 'emphasis'],
] as const;

/** Only what leads to a page or a letter box; anything else stays text. */
const address = /^(?:https?:\/\/|mailto:)[^\s<>"`]{1,2048}$/i;
const bareAddress = /https?:\/\/[^\s<>"`]{1,2048}/iy;
const linkForm = /\[([^[\]\n]{1,512})\]\(([^()\s]{1,2048})\)/y;
const mentionForm = /@([A-Za-z0-9_-]{1,64})/y;
const word = /[\p{L}\p{N}_]/u;
const special = /[\\`*_~[@h]/gi;

interface Found {
  readonly inline: Inline;
  readonly end: number;
}

/** A dot or comma at the end of an address belongs to the sentence. */
const trimAddress = (url: string): string => url.replace(/[.,;:!?'"]+$/, '').replace(/^([^(]*)\)+$/, '$1');

const isWordAt = (text: string, at: number): boolean => at >= 0 && word.test(text[at] ?? '');

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function codeAt(text: string, at: number, missing: Set<string>): Found | undefined {
  const fence = /^`+/.exec(text.slice(at, at + 8))?.[0] ?? '';
  if (fence === '' || missing.has(fence)) return undefined;
  const end = text.indexOf(fence, at + fence.length);
  if (end < 0) {
    missing.add(fence);
    return undefined;
  }
  const inner = text.slice(at + fence.length, end);
  return inner === '' ? undefined : { inline: { kind: 'code', text: inner }, end: end + fence.length };
}

function linkAt(text: string, at: number): Found | undefined {
  if (text[at] === '[') {
    const match = matchAt(linkForm, text, at);
    const url = match?.[2];
    if (match === null || url === undefined || !address.test(url)) return undefined;
    return { inline: { kind: 'link', text: match[1] === url ? undefined : match[1], url }, end: at + match[0].length };
  }
  if (isWordAt(text, at - 1)) return undefined;
  const match = matchAt(bareAddress, text, at);
  if (match === null) return undefined;
  const url = trimAddress(match[0]);
  return { inline: { kind: 'link', text: undefined, url }, end: at + url.length };
}

function mentionAt(text: string, at: number): Found | undefined {
  if (isWordAt(text, at - 1)) return undefined;
  const match = matchAt(mentionForm, text, at);
  const peer = match?.[1];
  return peer === undefined ? undefined : { inline: { kind: 'mention', peer }, end: at + peer.length + 1 };
}

interface Spot {
  readonly text: string;
  readonly at: number;
  readonly depth: number;
  /** Marks that have no end from here on: looked for once. */
  readonly missing: Set<string>;
}

/** An underscore inside a word is a part of it, and a mark beside a space marks nothing. */
function opens(text: string, at: number, mark: string): boolean {
  const after = text[at + mark.length];
  if (after === undefined || /\s/.test(after)) return false;
  return mark[0] !== '_' || !isWordAt(text, at - 1);
}

function endOf(text: string, from: number, mark: string): number {
  for (let end = text.indexOf(mark, from), tries = 0; end >= 0 && tries < 16; tries++) {
    const isClosed = !/\s/.test(text[end - 1] ?? ' ') && (mark[0] !== '_' || !isWordAt(text, end + mark.length));
    const isLonger = mark.length === 1 && text[end + 1] === mark;
    if (isClosed && !isLonger && end > from) return end;
    end = text.indexOf(mark, end + (isLonger ? 2 : 1));
  }
  return -1;
}

function markedAt({ text, at, depth, missing }: Spot): Found | undefined {
  if (depth >= maxDepth) return undefined;
  for (const [mark, kind] of marks) {
    if (!text.startsWith(mark, at) || missing.has(mark) || !opens(text, at, mark)) continue;
    const end = endOf(text, at + mark.length, mark);
    if (end < 0) {
      missing.add(mark);
      continue;
    }
    const children = parseInline(text.slice(at + mark.length, end), depth + 1);
    return { inline: { kind, children }, end: end + mark.length };
  }
  return undefined;
}

function inlineAt(spot: Spot): Found | undefined {
  const { text, at, missing } = spot;
  switch (text[at]) {
    case '\\': {
      const escaped = text[at + 1] ?? '';
      return /[\\`*_~[\]@]/.test(escaped) ? { inline: { kind: 'text', text: escaped }, end: at + 2 } : undefined;
    }
    case '`':
      return codeAt(text, at, missing);
    case '@':
      return mentionAt(text, at);
    case '[':
    case 'h':
    case 'H':
      return linkAt(text, at);
    default:
      return markedAt(spot);
  }
}

/** What stands in a line, or in lines that belong together. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  const missing = new Set<string>();
  let plain = '';
  const flush = (): void => {
    if (plain !== '') found.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    special.lastIndex = at;
    const next = special.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    if (next >= text.length) break;
    const one = inlineAt({ text, at: next, depth, missing });
    if (one === undefined) plain += text[next];
    else if (one.inline.kind === 'text') plain += one.inline.text;
    else {
      flush();
      found.push(one.inline);
    }
    at = one?.end ?? next + 1;
  }
  flush();
  return found;
}

const fenceForm = /^ {0,3}(`{3,}|~{3,})\s*([A-Za-z0-9+#._-]{0,32})/;
const quoteForm = /^ {0,3}>\s?/;
const itemForm = /^\s{0,8}(?:[-*+]|(\d{1,9})[.)])\s+(?=\S)/;
const headingForm = /^#{1,6}\s+(?=\S)/;

type Reader = (lines: readonly string[], at: number, depth: number) => { readonly block: Block; readonly next: number };

/** Up to the fence that ends it, or to the end of the text. */
const readCode: Reader = (lines, at) => {
  const [, fence = '```', language = ''] = fenceForm.exec(lines[at] ?? '') ?? [];
  const isEnd = (line: string): boolean =>
    line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '';
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? '')) end++;
  return { block: { kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
};

const readQuote: Reader = (lines, at, depth) => {
  let end = at;
  while (end < lines.length && quoteForm.test(lines[end] ?? '')) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(quoteForm, ''));
  return { block: { kind: 'quote', children: parseLines(inner, depth + 1) }, next: end };
};

const readList: Reader = (lines, at) => {
  const first = itemForm.exec(lines[at] ?? '')?.[1];
  const items: (readonly Inline[])[] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const match = itemForm.exec(line);
    if (match === null || (match[1] === undefined) !== (first === undefined)) break;
    items.push(parseInline(line.slice(match[0].length)));
  }
  return { block: { kind: 'list', first: first === undefined ? undefined : Number(first), items }, next: end };
};

const readHeading: Reader = (lines, at) => ({
  block: { kind: 'heading', children: parseInline((lines[at] ?? '').replace(headingForm, '')) },
  next: at + 1,
});

function readerOf(line: string, depth: number): Reader | undefined {
  if (fenceForm.test(line)) return readCode;
  if (depth < maxDepth && quoteForm.test(line)) return readQuote;
  if (itemForm.test(line)) return readList;
  return headingForm.test(line) ? readHeading : undefined;
}

function parseLines(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', children: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const read = readerOf(line, depth);
    if (read !== undefined) {
      flush();
      const { block, next } = read(lines, at, depth);
      blocks.push(block);
      at = next;
      continue;
    }
    if (line.trim() === '') flush();
    else paragraph.push(line);
    at++;
  }
  flush();
  return blocks;
}

/** The whole text of a message. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseLines(text.replaceAll('\r\n', '\n').split('\n'), 0);
}
