/**
 * The access policy (A1, A2, A5, A6): who may publish and subscribe to what, and which rule says so.
 * Law: pure; default deny, a deny beats an allow, and another workspace is never reached.
 */
import { isVakError, VakError } from '../base/vak-error.ts';
import { type AccessRequest, decideAccess } from './access-decision.ts';
import { type AccessAction, type AccessRule, accessRules, answerRules, readRules } from './acl-rules.ts';
import { type Role, roles } from './roles.ts';
import {
  checkPattern,
  checkToken,
  covers,
  isToken,
  overlaps,
  type Plane,
  parseSubject,
  type SubjectParts,
  subjectRows,
} from './subject.ts';

/** Who asks: a peer of one workspace in one role. What is left out cannot be its own: rules that need it do not apply. */
export interface AccessContext {
  readonly role: Role;
  readonly workspace: string;
  readonly peer?: string | undefined;
  readonly session?: string | undefined;
  /** The queue that a worker works for. */
  readonly queue?: string | undefined;
  /** Rooms that it is in. Left out: any, as membership is proved by signatures (A4). */
  readonly rooms?: readonly string[] | undefined;
}

/** Names that are a peer's own. */
export interface OwnNames {
  has(name: string): boolean;
  values(): Iterable<string>;
}

/**
 * A peer with all that it holds: several roles, queues, and the sessions of its process (E12). What is left out cannot be its own.
 * A deny of any of its roles holds against all of them (A9).
 */
export interface AccessHolder {
  readonly workspace: string;
  readonly roles: readonly Role[];
  readonly peer?: string | undefined;
  readonly sessions?: OwnNames | undefined;
  readonly queues?: OwnNames | undefined;
  /** As in {@link AccessContext}. */
  readonly rooms?: readonly string[] | undefined;
}

/** `read`: what lies in a stream; `answer`: a request that came. */
export type HolderAction = AccessAction | 'read' | 'answer';

/** Whose rules apply, whatever its role. */
type Standing = Omit<AccessContext, 'role'>;

/** An answer and what decided: the name of a rule, or why none allows it (A5). */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly rule: string;
}

const ownFields = ['peer', 'session', 'queue'] as const;
const placeholder = /\{(peer|session|queue)\}/;

/** Throws `invalid-subject` naming the field unless what stands for a token is one: a `*` in its place would widen a rule. */
function checkContext(context: Standing): void {
  checkToken(context.workspace, 'workspace');
  for (const field of ownFields) {
    if (context[field] !== undefined) checkToken(context[field], field);
  }
  for (const room of context.rooms ?? []) checkToken(room, 'room');
}

/** The rule for this peer: one for each room, none if it needs what is not known. */
function ownRules(rule: AccessRule, context: Standing): readonly AccessRule[] {
  let pattern = rule.pattern.replace('{ws}', context.workspace);
  for (const field of ownFields) {
    const value = context[field];
    if (value !== undefined) pattern = pattern.replace(`{${field}}`, value);
  }
  if (placeholder.test(pattern)) return [];
  if (!pattern.includes('{room}')) return [{ ...rule, pattern }];
  return (context.rooms ?? ['*']).map((room) => ({ ...rule, pattern: pattern.replace('{room}', room) }));
}

/** Why nothing allows it; names the first rule that would, if it knew whose subject this is. */
function whyDenied(rules: readonly AccessRule[], context: Standing, request: AccessRequest): string {
  for (const rule of rules) {
    if (rule.effect === 'deny' || ownRules(rule, context).length > 0) continue;
    const missing = ownFields.filter((field) => context[field] === undefined && rule.pattern.includes(`{${field}}`));
    const widened = missing.reduce((pattern, field) => pattern.replace(`{${field}}`, '*'), rule.pattern);
    const wide = ownRules({ ...rule, pattern: widened }, context);
    if (decideAccess(wide, request) === undefined) continue;
    return `A1 default deny (${rule.name} needs ${missing.map((field) => `--${field}`).join(', ')})`;
  }
  return 'A1 default deny';
}

/** Whether a fabric subject that it reaches may belong to another workspace. */
function reachesOut(text: string, workspace: string): boolean {
  return overlaps('vak.>', text) && !covers(`vak.*.${workspace}.>`, text);
}

/** The one of these rules that decides for this peer. */
function decide(rules: readonly AccessRule[], context: Standing, request: AccessRequest): AccessRule | undefined {
  const own = rules.flatMap((rule) => (rule.action === request.action ? ownRules(rule, context) : []));
  return decideAccess(own, request);
}

function judge(rules: readonly AccessRule[], context: Standing, request: AccessRequest): AccessAnswer {
  if (reachesOut(request.text, context.workspace)) return { allowed: false, rule: 'A1 deny other workspaces' };
  const deciding = decide(rules, context, request);
  if (deciding !== undefined) return { allowed: deciding.effect === 'allow', rule: deciding.name };
  return { allowed: false, rule: whyDenied(rules, context, request) };
}

/**
 * Says whether a role may publish a subject or subscribe to a pattern, and which rule decided (A5).
 * Throws `invalid-subject` for a subject outside the table (S4) or a name that is no token, `invalid-pattern`, `invalid-input` for
 * a role that does not exist.
 */
export function explainAccess(context: AccessContext, action: AccessAction, subjectOrPattern: string): AccessAnswer {
  if (!roles.includes(context.role)) {
    throw new VakError('invalid-input', `role: there is no such role; there are ${roles.join(', ')}`, {
      details: { field: 'role' },
    });
  }
  checkContext(context);
  if (action === 'publish') parseSubject(subjectOrPattern);
  else checkPattern(subjectOrPattern);
  return judge(accessRules.get(context.role) ?? [], context, { action, text: subjectOrPattern });
}

const rulesFor = { publish: accessRules, subscribe: accessRules, read: readRules, answer: answerRules } as const;

/** The one that the text names, if it is its own; else any: where none is named, or a wildcard, they are alike. */
function chosen(own: OwnNames | undefined, named: string | undefined): string | undefined {
  if (own === undefined) return undefined;
  if (named !== undefined && own.has(named)) return named;
  for (const any of own.values()) return any;
  return undefined;
}

/** Its standing towards one subject or pattern, in which a session or queue is the fourth token (§1). */
function standingOf({ sessions, queues, ...rest }: AccessHolder, text: string): Standing {
  const named = text.split('.')[3];
  return { ...rest, session: chosen(sessions, named), queue: chosen(queues, named) };
}

/**
 * Says of a peer with all that it holds what {@link explainAccess} says of one role, and what it may read and answer. Throws as that
 * does.
 */
export function explainHolder(holder: AccessHolder, action: HolderAction, subjectOrPattern: string): AccessAnswer {
  if (action === 'publish') parseSubject(subjectOrPattern);
  else checkPattern(subjectOrPattern);
  const standing = standingOf(holder, subjectOrPattern);
  checkContext(standing);
  const rules = holder.roles.flatMap((role) => rulesFor[action].get(role) ?? []);
  return judge(rules, standing, { action: action === 'publish' ? action : 'subscribe', text: subjectOrPattern });
}

/** Patterns of what a peer may do, and of what it may not, whatever else says so. */
export interface HolderPatterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** All rules of a holder about one action, as patterns: one for each of its queues, sessions and rooms. Throws `invalid-subject`. */
export function holderPatterns(holder: AccessHolder, action: HolderAction): HolderPatterns {
  const { sessions, queues, ...rest } = holder;
  const each = (own: OwnNames | undefined): readonly (string | undefined)[] => {
    const names = Array.from(own?.values() ?? []);
    return names.length === 0 ? [undefined] : names;
  };
  const standings = each(sessions).flatMap((session) => each(queues).map((queue) => ({ ...rest, session, queue })));
  const wanted = action === 'publish' ? action : 'subscribe';
  const patternsOf = (effect: AccessRule['effect']): readonly string[] => {
    const rules = holder.roles.flatMap((role) => rulesFor[action].get(role) ?? []);
    const fitting = rules.filter((rule) => rule.effect === effect && rule.action === wanted);
    const all = standings.flatMap((standing) => fitting.flatMap((rule) => ownRules(rule, standing)));
    return [...new Set(all.map(({ pattern }) => pattern))];
  };
  return { allow: patternsOf('allow'), deny: patternsOf('deny') };
}

/** The first rule by which it may publish or read some of what the patterns match, in whichever session, queue or room. */
export function ruleThatReaches(holder: AccessHolder, patterns: readonly string[]): AccessRule | undefined {
  const mayReach = ({ effect, pattern }: AccessRule): boolean => {
    const own = pattern.replace('{ws}', holder.workspace).replaceAll(/\{\w+\}/g, '*');
    return effect === 'allow' && patterns.some((wanted) => overlaps(own, wanted));
  };
  return holder.roles.flatMap((role) => accessRules.get(role) ?? []).find(mayReach);
}

/** Whose subject it is: what an envelope says of itself. */
export interface PublishingPeer {
  readonly workspace: string;
  readonly peer: string;
  readonly session: string;
  readonly queue?: string | undefined;
}

/** Rules about publishing that can reach a plane, by role: few enough to be asked for every signature. */
const publishRules: ReadonlyMap<Plane, readonly (readonly [Role, readonly AccessRule[]])[]> = new Map(
  subjectRows.map(({ plane }) => {
    const reaches = ({ action, pattern }: AccessRule): boolean =>
      action === 'publish' && overlaps(pattern.replaceAll(/\{\w+\}/g, '*'), `vak.${plane}.>`);
    const ofRoles = roles.map((role) => [role, (accessRules.get(role) ?? []).filter(reaches)] as const);
    return [plane, ofRoles.filter(([, rules]) => rules.length > 0)];
  }),
);

/** The parts of a subject, or undefined outside the table. */
function partsOf(subject: string): SubjectParts | undefined {
  try {
    return parseSubject(subject);
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/**
 * Roles of which each would let this peer publish the subject, in the order of the table (for I4). Total: none for a subject
 * outside the table or of another workspace, and none for a name that is no token.
 */
export function rolesThatMayPublish(subject: string, who: PublishingPeer): readonly Role[] {
  const { workspace, peer, session, queue } = who;
  if (![workspace, peer, session, queue ?? peer].every(isToken)) return [];
  const parts = partsOf(subject);
  if (parts?.workspace !== workspace) return [];
  const request: AccessRequest = { action: 'publish', text: subject };
  return (publishRules.get(parts.plane) ?? [])
    .filter(([, rules]) => decide(rules, who, request)?.effect === 'allow')
    .map(([role]) => role);
}
