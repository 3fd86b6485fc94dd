/**
 * Subjects of the fabric (protocol.md §1): tokens, the closed table of rows, builder, parser, pattern algebra.
 * Law: S4 — builder and parser are inverse for every row, and no subject outside the table is ever published.
 */
import { VakError } from '../base/vak-error.ts';

/** A full subject that fits a row of the table. */
export type Subject = string & { readonly __brand: 'Subject' };
/** A subject that may hold `*` and a last `>` (S2). */
export type Pattern = string & { readonly __brand: 'Pattern' };

/** Longest subject or pattern that is accepted, in characters: far above any row, below what servers refuse. */
export const maxSubjectLength = 512;

const tokenForm = /^[A-Za-z0-9_-]{1,64}$/;
/** A token behind a dot, within a larger form. */
const tokenText = '\\.[A-Za-z0-9_-]{1,64}';

interface Row {
  readonly plane: string;
  /** What the entity token names. */
  readonly entity: 'session' | 'queue' | 'peer' | 'room' | 'service';
  /** Allowed last tokens; undefined: any token (control verbs). */
  readonly verbs: readonly string[] | undefined;
}

/** The table of protocol.md §1, one row per plane. */
export const subjectRows = [
  { plane: 'events', entity: 'session', verbs: ['tokens', 'terminal', 'telemetry', 'status'] },
  { plane: 'work', entity: 'queue', verbs: ['task'] },
  { plane: 'agent', entity: 'peer', verbs: ['inbox'] },
  { plane: 'receipts', entity: 'session', verbs: ['completed'] },
  { plane: 'approvals', entity: 'session', verbs: ['request', 'verdict'] },
  { plane: 'dlq', entity: 'peer', verbs: ['failed'] },
  { plane: 'rooms', entity: 'room', verbs: ['log', 'messages', 'presence'] },
  { plane: 'keys', entity: 'peer', verbs: ['package'] },
  { plane: 'audit', entity: 'peer', verbs: ['action', 'checkpoint', 'void'] },
  { plane: 'control', entity: 'service', verbs: undefined },
] as const satisfies readonly Row[];

/** First token after `vak`. */
export type Plane = (typeof subjectRows)[number]['plane'];

/** The named parts of a subject: `vak.<plane>.<workspace>.<entity>.<verb>`. */
export interface SubjectParts {
  readonly plane: Plane;
  readonly workspace: string;
  /** Session, queue, peer, room or service, by plane. */
  readonly entity: string;
  readonly verb: string;
}

const rowsByPlane = new Map<string, Row>(subjectRows.map((row) => [row.plane, row]));

/** Whether a text is a token (S1). */
export function isToken(text: string): boolean {
  return tokenForm.test(text);
}

/** Returns the token, or throws `invalid-subject` naming the field (S1). */
export function checkToken(text: unknown, field: string): string {
  if (typeof text === 'string' && tokenForm.test(text)) return text;
  const found = typeof text === 'string' ? `${text.length} characters` : typeof text;
  throw new VakError('invalid-subject', `${field}: expected 1–64 of A–Z a–z 0–9 _ -, got ${found}`, {
    details: { field },
  });
}

function checkVerb(row: Row, verb: string): string {
  checkToken(verb, 'verb');
  if (row.verbs === undefined || row.verbs.includes(verb)) return verb;
  throw new VakError('invalid-subject', `verb: plane ${row.plane} has ${row.verbs.join(', ')}`, {
    details: { field: 'verb' },
  });
}

/** Builds a subject from its parts; throws `invalid-subject` that names the field (S1, S4). */
export function buildSubject(parts: SubjectParts): Subject {
  const row = rowsByPlane.get(parts.plane);
  if (row === undefined) {
    throw new VakError('invalid-subject', `plane: expected one of ${[...rowsByPlane.keys()].join(', ')}`, {
      details: { field: 'plane' },
    });
  }
  const workspace = checkToken(parts.workspace, 'workspace');
  const entity = checkToken(parts.entity, row.entity);
  return `vak.${row.plane}.${workspace}.${entity}.${checkVerb(row, parts.verb)}` as Subject;
}

/** Parses a subject into its parts; throws `invalid-subject` that names the field (S1, S4). */
export function parseSubject(subject: string): SubjectParts {
  const fail = (field: string, message: string): never => {
    throw new VakError('invalid-subject', `${field}: ${message}`, { details: { field } });
  };
  if (subject.length > maxSubjectLength) fail('subject', `longer than ${maxSubjectLength} characters`);
  const tokens = subject.split('.');
  const [root, plane, workspace, entity, verb] = tokens;
  if (root !== 'vak') fail('root', 'a subject begins with "vak."');
  const row = rowsByPlane.get(plane ?? '');
  if (row === undefined) return fail('plane', `expected one of ${[...rowsByPlane.keys()].join(', ')}`);
  checkToken(workspace, 'workspace');
  checkToken(entity, row.entity);
  if (verb === undefined || tokens.length > 5) fail('subject', `expected 5 tokens, got ${tokens.length}`);
  checkVerb(row, verb as string);
  return {
    plane: row.plane as Plane,
    workspace: workspace as string,
    entity: entity as string,
    verb: verb as string,
  };
}

/** Every subject of the table, and nothing else. */
const subjectForm = new RegExp(
  `^vak\\.(?:${subjectRows
    .map(
      ({ plane, verbs }: Row) => `${plane}${tokenText}${tokenText}${verbs ? `\\.(?:${verbs.join('|')})` : tokenText}`,
    )
    .join('|')})$`,
);

/** Throws as {@link parseSubject} does; for what is fine it takes a fraction of its time. */
export function checkSubject(subject: string): void {
  if (!subjectForm.test(subject)) parseSubject(subject);
}

/** The CloudEvents-like type of a subject: `vak.<plane>.<verb>`. */
export function typeOfSubject(parts: SubjectParts): string {
  return `vak.${parts.plane}.${parts.verb}`;
}

/** Whether a text is a well-formed pattern (S2): non-empty tokens, `>` last only. */
export function isPattern(text: string): text is Pattern {
  if (text.length === 0 || text.length > maxSubjectLength) return false;
  const tokens = text.split('.');
  return tokens.every(
    (token, index) => token === '*' || isToken(token) || (token === '>' && index === tokens.length - 1),
  );
}

/** Returns the pattern, or throws `invalid-pattern` that says what is wrong (S2). */
export function checkPattern(text: string): Pattern {
  if (isPattern(text)) return text;
  throw new VakError(
    'invalid-pattern',
    `pattern: expected tokens of A–Z a–z 0–9 _ - or "*" joined by ".", ">" only last, ${maxSubjectLength} characters at most; got ${text.length} characters`,
  );
}

/** Whether a subject is matched by a pattern (S2, S3). Total: text that is no pattern matches by its literal tokens. */
export function matches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === '>' && i === wanted.length - 1) return tokens.length > i;
    if (i >= tokens.length) return false;
    if (wanted[i] !== '*' && wanted[i] !== tokens[i]) return false;
  }
  return tokens.length === wanted.length;
}

/** Whether every subject that `inner` matches is matched by `outer` too (S3). */
export function covers(outer: string, inner: string): boolean {
  const wide = outer.split('.');
  const narrow = inner.split('.');
  for (let i = 0; i < wide.length; i++) {
    const isTail = wide[i] === '>' && i === wide.length - 1;
    if (isTail) return narrow.length > i;
    if (i >= narrow.length) return false;
    const isNarrowTail = narrow[i] === '>' && i === narrow.length - 1;
    if (isNarrowTail) return false;
    if (wide[i] === '*') continue;
    if (wide[i] !== narrow[i]) return false;
  }
  return narrow.length === wide.length;
}

/** Whether some subject is matched by both patterns (S3). */
export function overlaps(left: string, right: string): boolean {
  const a = left.split('.');
  const b = right.split('.');
  for (let i = 0; ; i++) {
    const isTailA = a[i] === '>' && i === a.length - 1;
    const isTailB = b[i] === '>' && i === b.length - 1;
    if (isTailA) return b.length > i;
    if (isTailB) return a.length > i;
    if (i >= a.length || i >= b.length) return a.length === b.length;
    if (a[i] !== '*' && b[i] !== '*' && a[i] !== b[i]) return false;
  }
}
