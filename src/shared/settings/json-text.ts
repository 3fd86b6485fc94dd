/**
 * Edits of a JSON object as text.
 * Law: what an edit does not name keeps its characters: numbers beyond a double, escapes, spacing, unknown keys.
 *
 * Every text given here must already have passed `JSON.parse`; the scanner leans on it.
 */

/** A member of an object: its name, and both parts as they stand in the text. */
export interface JsonMember {
  readonly name: string;
  /** The name with its quotes and escapes. */
  readonly nameText: string;
  readonly valueText: string;
}

/** A member with its places in the object's text. */
interface PlacedMember extends JsonMember {
  readonly nameAt: number;
  readonly valueAt: number;
}

const space = /[ \t\n\r]/;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && space.test(text[at] as string)) at++;
  return at;
}

/** Index after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const opening = /[{[]/;
const closing = /[}\]]/;
const ending = /[ \t\n\r,}\]]/;

/** Index after the object or array that begins at `from`. */
function endOfNested(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const character = text[at] as string;
    if (opening.test(character)) depth++;
    if (closing.test(character)) depth--;
    at = character === '"' ? endOfString(text, at) : at + 1;
  } while (depth > 0 && at < text.length);
  return at;
}

/** Index after the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  if (opening.test(text[from] as string)) return endOfNested(text, from);
  let at = from;
  while (at < text.length && !ending.test(text[at] as string)) at++;
  return at;
}

function placedMembersOf(text: string): readonly PlacedMember[] | undefined {
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return undefined;
  const members: PlacedMember[] = [];
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const nameText = text.slice(at, nameEnd);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    const valueText = text.slice(valueStart, valueEnd);
    members.push({ name: JSON.parse(nameText) as string, nameText, valueText, nameAt: at, valueAt: valueStart });
    at = skipSpace(text, valueEnd);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

/** Members of an object's text in order, doubles included; undefined if the text is no object. */
export function membersOf(text: string): readonly JsonMember[] | undefined {
  return placedMembersOf(text);
}

/** The line, from 1, on which the name at the end of `path` stands; of doubles the last counts. Undefined: there is none. */
export function lineAt(text: string, path: readonly string[]): number | undefined {
  let from = 0;
  let inner = text;
  let nameAt: number | undefined;
  for (const name of path) {
    const member = placedMembersOf(inner)?.findLast((one) => one.name === name);
    if (member === undefined) return undefined;
    nameAt = from + member.nameAt;
    from += member.valueAt;
    inner = member.valueText;
  }
  return nameAt === undefined ? undefined : text.slice(0, nameAt).split('\n').length;
}

function printMembers(members: readonly JsonMember[], depth: number): string {
  if (members.length === 0) return '{}';
  const margin = '  '.repeat(depth + 1);
  const lines = members.map(({ nameText, valueText }) => `${margin}${nameText}: ${valueText}`);
  return `{\n${lines.join(',\n')}\n${'  '.repeat(depth)}}`;
}

/** The value's text at `path`, or undefined; of doubles the last counts, as for `JSON.parse`. */
export function valueTextAt(text: string, path: readonly string[]): string | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return text;
  const member = membersOf(text)?.findLast((one) => one.name === name);
  return member === undefined ? undefined : valueTextAt(member.valueText, rest);
}

/** What an edit puts at its place, as JSON, and how deep that place lies. */
interface Edit {
  readonly valueText: string;
  readonly depth: number;
}

function edited(text: string, path: readonly string[], edit: Edit): string | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return edit.valueText;
  const members = membersOf(text);
  if (members === undefined) return undefined;
  const index = members.findLastIndex((one) => one.name === name);
  const present = members[index];
  const inner = edited(present?.valueText ?? '{}', rest, { ...edit, depth: edit.depth + 1 });
  if (inner === undefined) return undefined;
  const member = present ?? { name, nameText: JSON.stringify(name) };
  const changed = { ...member, valueText: inner };
  return printMembers(present === undefined ? [...members, changed] : members.with(index, changed), edit.depth);
}

/**
 * The text with the value at `path` set; objects on the way are made. Undefined if a value on the way is no object.
 * `valueText` must be JSON.
 */
export function withValueAt(text: string, path: readonly string[], valueText: string): string | undefined {
  return edited(text, path, { valueText, depth: 0 });
}

/** The text without the value at `path`; objects that this leaves empty go too. Unchanged if there is none. */
export function withoutValueAt(text: string, path: readonly string[], depth = 0): string {
  const [name, ...rest] = path;
  const members = membersOf(text);
  if (name === undefined || !members?.some((one) => one.name === name)) return text;
  const kept = members.flatMap((one) => {
    if (one.name !== name) return [one];
    if (rest.length === 0) return [];
    const inner = withoutValueAt(one.valueText, rest, depth + 1);
    return inner !== one.valueText && membersOf(inner)?.length === 0 ? [] : [{ ...one, valueText: inner }];
  });
  return printMembers(kept, depth);
}
