/**
 * The `tracestate` list of W3C Trace Context level 2 (protocol.md E4).
 * Law: what is handed on is a valid list of at most 32 members and 512 characters, or nothing.
 */

const maxMembers = 32;
/** What is handed on, in characters (level 2, §3.3.1.5). */
const maxPropagated = 512;
/** Members longer than this give way first when the list is too long. */
const largeMember = 128;
/** More than any valid list has: 32 members of 513 characters, with blanks. Longer ones are not read. */
const maxRead = 32 * 520;

const key = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
/** Printable ASCII but `,` and `=`, at most 256, the last no space. */
const value = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Length of the text without spaces and tabs at its end; a loop, as a pattern would take time squared. */
function endWithoutBlanks(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return end;
}

function withoutBlanks(text: string): string {
  const kept = text.slice(0, endWithoutBlanks(text));
  let start = 0;
  while (start < kept.length && (kept[start] === ' ' || kept[start] === '\t')) start++;
  return kept.slice(start);
}

/** The members that are not empty, or undefined if the list is invalid: a bad key or value, a key twice, too many. */
function membersOfList(text: string): readonly string[] | undefined {
  const members: string[] = [];
  const keys = new Set<string>();
  for (const part of text.split(',')) {
    const member = withoutBlanks(part);
    if (member === '') continue;
    const at = member.indexOf('=');
    const name = member.slice(0, Math.max(at, 0));
    if (!key.test(name) || !value.test(member.slice(at + 1)) || keys.has(name)) return undefined;
    keys.add(name);
    members.push(member);
  }
  return members.length > maxMembers ? undefined : members;
}

function lengthOf(members: readonly string[]): number {
  return members.reduce((sum, member) => sum + member.length, members.length - 1);
}

/** Whole members only: the large ones go first, from the end, then the last ones (level 2, §3.3.1.5). */
function shortened(members: readonly string[]): readonly string[] {
  const kept = [...members];
  while (lengthOf(kept) > maxPropagated) {
    const large = kept.findLastIndex((member) => member.length > largeMember);
    kept.splice(large === -1 ? kept.length - 1 : large, 1);
  }
  return kept;
}

/** The list to hand on: as it came if it is valid and short enough, else shortened; undefined if invalid or empty (E4). */
export function readTracestate(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxRead) return undefined;
  const members = membersOfList(text);
  if (members === undefined || members.length === 0) return undefined;
  return text.length <= maxPropagated ? text : shortened(members).join(',');
}
