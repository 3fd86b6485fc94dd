/** The form of a grant: fields as they are typed, what is wrong with them, and what is asked of the engine. Pure. */
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import { roles as allRoles, type Role } from '../../../shared/protocol/roles.ts';
import { isToken } from '../../../shared/protocol/subject.ts';

const dayS = 24 * 3600;

/** How long it holds. */
export const grantEnds = [
  { id: 'none', title: 'No end', seconds: 0 },
  { id: 'day', title: '1 day', seconds: dayS },
  { id: 'week', title: '7 days', seconds: 7 * dayS },
  { id: 'month', title: '30 days', seconds: 30 * dayS },
  { id: 'quarter', title: '90 days', seconds: 90 * dayS },
  { id: 'at', title: 'At…', seconds: undefined },
] as const;
export type GrantEnd = (typeof grantEnds)[number]['id'];

export interface GrantFields {
  readonly peer: string;
  readonly roles: readonly Role[];
  /** With commas or spaces between. */
  readonly queues: string;
  readonly end: GrantEnd;
  /** An ISO time, of the end `at`. */
  readonly until: string;
}

export type GrantErrors = Partial<Record<keyof GrantFields, string>>;

export interface GrantInput {
  readonly peer: string;
  readonly sign: string;
  readonly roles: Role[];
  readonly queues: string[];
  readonly notAfter: number;
}

export type ReadGrant =
  | { readonly kind: 'wrong'; readonly errors: GrantErrors }
  | { readonly kind: 'right'; readonly input: GrantInput };

const emptyGrant: GrantFields = { peer: '', roles: [], queues: '', end: 'month', until: '' };

const isRole = (role: string): role is Role => (allRoles as readonly string[]).includes(role);

/** Fields to begin with: of a peer, with what it has now; a grant that ends begins with a new end. */
export function fieldsOfGrant(peer: string | undefined, present: GrantSummary | undefined): GrantFields {
  if (present === undefined) return { ...emptyGrant, peer: peer ?? '' };
  const end: GrantEnd = present.notAfter === 0 && present.roles.length > 0 ? 'none' : 'month';
  return { peer: present.peer, roles: present.roles.filter(isRole), queues: present.queues.join(', '), end, until: '' };
}

/** The names in a list that was typed. */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

const isoTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Seconds since the epoch of a time that was typed, UTC unless it says otherwise; undefined: it is none. */
function secondsOf(text: string): number | undefined {
  const given = text.trim().replace(' ', 'T');
  if (!isoTime.test(given)) return undefined;
  const ms = Date.parse(/T/.test(given) && !/(Z|[+-]\d\d:\d\d)$/.test(given) ? `${given}Z` : given);
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : undefined;
}

function endOf({ end, until }: GrantFields, nowMs: number): { readonly notAfter: number; readonly error?: string } {
  const chosen = grantEnds.find(({ id }) => id === end);
  if (chosen?.seconds === 0) return { notAfter: 0 };
  if (chosen?.seconds !== undefined) return { notAfter: Math.floor(nowMs / 1000) + chosen.seconds };
  const notAfter = secondsOf(until);
  if (notAfter === undefined) return { notAfter: 0, error: 'A time such as 2027-01-31 or 2027-01-31T12:00Z' };
  return notAfter * 1000 > nowMs ? { notAfter } : { notAfter, error: 'This time is past' };
}

function peerError(name: string, known: PeerSummary | undefined): string | undefined {
  if (name === '') return 'Name the peer';
  if (!isToken(name)) return '1–64 of A–Z a–z 0–9 _ -';
  if (known === undefined) return 'No card of this peer was seen here: add its card first';
  if (known.state === 'changed') return 'Its signing key has changed: settle that among the peers first';
  return known.state === 'blocked' ? 'It is blocked: let it go among the peers first' : undefined;
}

function queuesError({ roles }: GrantFields, queues: readonly string[]): string | undefined {
  if (!roles.includes('worker')) return undefined;
  if (queues.length === 0) return 'A worker needs a queue at least';
  if (queues.length > 64) return '64 queues at most';
  return queues.every(isToken) ? undefined : 'Each queue: 1–64 of A–Z a–z 0–9 _ -';
}

/** Reads the form. */
export function readGrantForm(fields: GrantFields, peers: readonly PeerSummary[], nowMs: number): ReadGrant {
  const peer = fields.peer.trim();
  const known = peers.find((one) => one.peer === peer);
  const queues = fields.roles.includes('worker') ? namesIn(fields.queues) : [];
  const { notAfter, error: until } = endOf(fields, nowMs);
  const found: GrantErrors = {
    ...((text) => text && { peer: text })(peerError(peer, known)),
    ...(fields.roles.length === 0 ? { roles: 'Choose a role at least; to take all, revoke' } : {}),
    ...((text) => text && { queues: text })(queuesError(fields, queues)),
    ...(until === undefined ? {} : { until }),
  };
  if (Object.keys(found).length > 0 || known === undefined) return { kind: 'wrong', errors: found };
  return { kind: 'right', input: { peer, sign: known.sign, roles: [...fields.roles], queues, notAfter } };
}
