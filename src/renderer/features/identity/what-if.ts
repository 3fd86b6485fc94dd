/**
 * The what-if tester: what is asked, and what the policy says to it (protocol.md A1, A2, A5). Pure.
 * Law: the answer is that of the same function that engines and `vak acl explain` ask.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import { type AccessAnswer, type AccessHolder, explainHolder } from '../../../shared/protocol/acl.ts';
import { placesOf, type ReachedPattern, type ReachedPlace, reachOf } from '../../../shared/protocol/acl-reach.ts';
import type { AccessAction } from '../../../shared/protocol/acl-rules.ts';
import { checkServerSubject, explainServer, isServerSubject } from '../../../shared/protocol/explain-server.ts';
import { roles as allRoles, type Role } from '../../../shared/protocol/roles.ts';
import { isToken } from '../../../shared/protocol/subject.ts';
import { findPatternFault, findSubjectFault, type SubjectFault } from '../../../shared/protocol/subject-fault.ts';
import { namesIn } from './grant-form.ts';
import { standingOf } from './grant-standing.ts';

export interface WhatIfFields {
  /** `roles`: of a peer that need not be there. `peer`: as it is granted. */
  readonly who: 'roles' | 'peer';
  readonly roles: readonly Role[];
  readonly peer: string;
  readonly session: string;
  readonly queues: string;
  readonly action: AccessAction;
  readonly subject: string;
}

export const firstQuestion: WhatIfFields = {
  ...{ who: 'roles', roles: ['worker'], peer: '', session: '', queues: '', action: 'publish', subject: '' },
};

export type WhatIfErrors = Partial<Record<'roles' | 'peer' | 'session' | 'queues', string>>;

export interface WhatIf {
  readonly errors: WhatIfErrors;
  /** What is wrong with the subject; undefined also while there is none. */
  readonly fault: SubjectFault | undefined;
  /** Undefined while something is wrong or nothing is asked. */
  readonly answer: AccessAnswer | undefined;
  /** Whose rights these are. */
  readonly roles: readonly Role[];
  /** Why a peer holds no role now. */
  readonly note: string | undefined;
  readonly reach: readonly ReachedPattern[];
  readonly places: readonly ReachedPlace[];
  /** The command that gives the same answer; undefined for several roles, which it does not take. */
  readonly command: string | undefined;
}

interface Known {
  readonly workspace: string;
  readonly grants: readonly GrantSummary[];
  readonly nowMs: number;
}

const tokenWords = '1–64 of A–Z a–z 0–9 _ -';
const isRole = (role: string): role is Role => (allRoles as readonly string[]).includes(role);
const optional = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

interface Standing {
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  readonly note?: string;
}

/** What a peer holds now. */
function heldBy(peer: string, { grants, nowMs }: Known): Standing {
  const grant = grants.find((one) => one.peer === peer);
  if (grant === undefined) return { roles: [], queues: [], note: `${peer} was granted nothing here` };
  const standing = standingOf(grant, nowMs);
  if (standing === 'revoked') return { roles: [], queues: [], note: `every role of ${peer} was revoked` };
  if (standing === 'ended') return { roles: [], queues: [], note: `the grant of ${peer} has ended` };
  return { roles: grant.roles.filter(isRole), queues: grant.queues };
}

function errorsOf(fields: WhatIfFields): WhatIfErrors {
  const { who, roles, peer, session, queues, subject } = fields;
  const isNameless = isServerSubject(subject.trim()) && optional(peer) === undefined;
  const wrong = (name: keyof WhatIfErrors, isWrong: boolean, text: string): WhatIfErrors =>
    isWrong ? { [name]: text } : {};
  const isBad = (text: string): boolean => optional(text) !== undefined && !isToken(text.trim());
  return {
    ...wrong('roles', who === 'roles' && roles.length === 0, 'Choose a role at least'),
    ...wrong('peer', isBad(peer), tokenWords),
    ...wrong('peer', isNameless, 'Name the peer: what a server is told of its own subjects names it'),
    ...wrong('peer', who === 'peer' && optional(peer) === undefined, 'Name a peer that was granted something'),
    ...wrong('session', isBad(session), tokenWords),
    ...wrong('queues', who === 'roles' && !namesIn(queues).every(isToken), `Each queue: ${tokenWords}`),
  };
}

function faultOf({ action }: WhatIfFields, subject: string): SubjectFault | undefined {
  if (subject === '') return undefined;
  if (!isServerSubject(subject)) return action === 'publish' ? findSubjectFault(subject) : findPatternFault(subject);
  try {
    checkServerSubject(subject);
    return undefined;
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { from: 0, to: subject.length, why: error.message };
  }
}

/** What is asked of a server's own subjects is answered by what the server is told (A29). */
function answerOf(
  holder: AccessHolder & { readonly queues: ReadonlySet<string> },
  action: AccessAction,
  subject: string,
): AccessAnswer {
  if (!isServerSubject(subject)) return explainHolder(holder, action, subject);
  const { workspace, roles, peer = '', queues } = holder;
  return explainServer({ workspace, roles, peer, queues: [...queues] }, action, subject);
}

function commandOf(
  fields: WhatIfFields,
  { workspace, roles, queues }: { workspace: string; roles: readonly Role[]; queues: readonly string[] },
) {
  const [role] = roles;
  if (role === undefined || roles.length > 1 || queues.length > 1) return undefined;
  const { peer, session, action, subject } = fields;
  const given = { role, peer: optional(peer), session: optional(session), queue: queues[0], action };
  const options = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  return `vak acl explain --workspace ${workspace} ${options.join(' ')} --subject '${subject.trim()}'`;
}

/** The rule's name as an answer gives it, with what is missing in the words of the form. */
export function ruleWords(rule: string): string {
  return rule.replaceAll('--peer', 'a peer').replaceAll('--session', 'a session').replaceAll('--queue', 'a queue');
}

/** Asks the policy. */
export function askPolicy(fields: WhatIfFields, known: Known): WhatIf {
  const { workspace } = known;
  const errors = errorsOf(fields);
  const peer = optional(fields.peer);
  const typed: Standing = { roles: fields.roles, queues: namesIn(fields.queues) };
  const { roles, queues, note } = fields.who === 'peer' && peer !== undefined ? heldBy(peer, known) : typed;
  const subject = fields.subject.trim();
  const session = optional(fields.session);
  const fault = faultOf(fields, subject);
  const isSound = Object.keys(errors).length === 0;
  const holder = {
    ...{ workspace, roles, peer, queues: new Set(queues) },
    ...(session === undefined ? {} : { sessions: new Set([session]) }),
  };
  const isAsked = isSound && subject !== '' && fault === undefined;
  const asked = isAsked && !isServerSubject(subject) ? { action: fields.action, text: subject } : undefined;
  return {
    ...{ errors, fault, roles, note },
    answer: isAsked ? answerOf(holder, fields.action, subject) : undefined,
    reach: isSound ? reachOf(holder, asked) : [],
    places: isSound ? placesOf(holder) : [],
    command: isAsked ? commandOf(fields, { workspace, roles, queues }) : undefined,
  };
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.includes(value as T) ? (value as T) : fallback;
}

/** The question as it was left; the first one where nothing, or nonsense, is kept. */
export function questionOfDraft(text: string | undefined): WhatIfFields {
  try {
    const raw = JSON.parse(text ?? '') as Record<string, unknown>;
    const textOf = (name: string): string => (typeof raw[name] === 'string' ? (raw[name] as string).slice(0, 512) : '');
    const given = Array.isArray(raw['roles']) ? raw['roles'].filter((one) => typeof one === 'string') : [];
    return {
      who: oneOf(raw['who'], ['roles', 'peer'], 'roles'),
      action: oneOf(raw['action'], ['publish', 'subscribe'], 'publish'),
      roles: allRoles.filter((role) => given.includes(role)),
      ...{ peer: textOf('peer'), session: textOf('session'), queues: textOf('queues'), subject: textOf('subject') },
    };
  } catch {
    // No JSON: nothing was kept.
    return firstQuestion;
  }
}
