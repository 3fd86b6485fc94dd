/**
 * All that a peer may publish and subscribe to, rule by rule, and which of it touches what is asked (protocol.md A2, A5).
 * Law: pure; the rules are those that decide (acl-rules.ts), written with the peer's own names.
 */
import type { AccessHolder } from './acl.ts';
import { type AccessAction, type AccessRule, accessRules } from './acl-rules.ts';
import type { Role } from './roles.ts';
import { type StorageAction, storageRules } from './storage-rules.ts';
import { overlaps } from './subject.ts';

/** One rule as it stands for this peer. */
export interface ReachedPattern {
  readonly role: Role;
  readonly effect: AccessRule['effect'];
  readonly action: AccessAction;
  /** The rule's name, as an answer gives it. */
  readonly rule: string;
  /** With the peer's own names; `{session}` stays where its name is not known. */
  readonly pattern: string;
  /** Names that are not known, so that the rule does not apply yet. */
  readonly missing: readonly ('peer' | 'session' | 'queue')[];
  /** Whether some subject is matched by this pattern and by the one that is asked about. */
  readonly isTouched: boolean;
}

/** What is asked about; undefined: nothing is yet. */
export interface AskedAccess {
  readonly action: AccessAction;
  readonly text: string;
}

const fields = ['peer', 'session', 'queue'] as const;

function namesOf(holder: AccessHolder): Readonly<Record<(typeof fields)[number], readonly string[]>> {
  const { peer, sessions, queues } = holder;
  return {
    peer: peer === undefined ? [] : [peer],
    session: [...(sessions?.values() ?? [])],
    queue: [...(queues?.values() ?? [])],
  };
}

/** The patterns of a rule, one for each queue, session and room that it names. */
function patternsOf({ pattern }: AccessRule, holder: AccessHolder): readonly string[] {
  const names = namesOf(holder);
  const rooms = holder.rooms ?? ['*'];
  let patterns = [pattern.replace('{ws}', holder.workspace)];
  for (const field of fields) {
    if (names[field].length === 0) continue;
    patterns = patterns.flatMap((one) =>
      one.includes(`{${field}}`) ? names[field].map((name) => one.replace(`{${field}}`, name)) : [one],
    );
  }
  return patterns.flatMap((one) => (one.includes('{room}') ? rooms.map((room) => one.replace('{room}', room)) : [one]));
}

/** What its roles reach, in the order of the roles and of their rules, denies first. */
export function reachOf(holder: AccessHolder, asked: AskedAccess | undefined): readonly ReachedPattern[] {
  const touches = (action: AccessAction, pattern: string): boolean =>
    asked !== undefined && asked.action === action && overlaps(pattern.replaceAll(/\{\w+\}/g, '*'), asked.text);
  return holder.roles.flatMap((role) =>
    (accessRules.get(role) ?? []).flatMap((rule) =>
      patternsOf(rule, holder).map((pattern): ReachedPattern => {
        const { effect, action, name } = rule;
        const missing = fields.filter((field) => pattern.includes(`{${field}}`));
        return { role, effect, action, rule: name, pattern, missing, isTouched: touches(action, pattern) };
      }),
    ),
  );
}

/** What may be done with a stream, a consumer or a bucket (A10). */
export interface ReachedPlace {
  /** As storage-rules.ts names it, with the peer's own names. */
  readonly place: string;
  readonly actions: readonly StorageAction[];
}

/** The places that its roles reach, each once, with all that may be done there. */
export function placesOf(holder: AccessHolder): readonly ReachedPlace[] {
  const places = new Map<string, Set<StorageAction>>();
  for (const rule of holder.roles.flatMap((role) => storageRules.get(role) ?? [])) {
    const own = { effect: 'allow', action: 'subscribe', name: rule.name, pattern: rule.place } as const;
    for (const place of patternsOf(own, holder)) {
      const actions = places.get(place) ?? new Set();
      places.set(place, actions.add(rule.action));
    }
  }
  return Array.from(places, ([place, actions]) => ({ place, actions: [...actions] }));
}
