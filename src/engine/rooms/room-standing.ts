/**
 * Who is what in a room, and who may do what there (protocol.md R1, R3, R4, docs/spec/rooms.md R17–R20).
 * Law: everyone who applies the same entries in the same order stands at the same state; nothing else goes into it.
 */
import type { RoomEntry, RoomEntryBody, RoomRole } from '../../shared/protocol/payload-room-log.ts';

/** Members and invited peers together, at most (R13). */
const maxMembers = 1_000;

/** Why an entry does not count where it lies (R21), apart from its form, signature and place. */
export type StandingRefusal = 'not-allowed' | 'no-such-member' | 'already-there' | 'full' | 'closed';

export interface RoomMember {
  /** `U…` */
  readonly sign: string;
  readonly peer: string;
  readonly role: RoomRole;
}

/** Somebody who was asked to come; `by`: key of whoever asked. */
export interface RoomInvited {
  readonly sign: string;
  readonly peer: string;
  readonly role: 'member' | 'moderator';
  readonly by: string;
}

/** How a room stands after an entry. The maps are by key, and must not be changed. */
export interface RoomStanding {
  readonly name: string;
  readonly topic: string;
  readonly history: 'joined' | 'shared';
  readonly members: ReadonlyMap<string, RoomMember>;
  readonly invited: ReadonlyMap<string, RoomInvited>;
  readonly epoch: number;
  /** Somebody who left knows the key: whoever sends next commits a REKEY first. */
  readonly isRekeyPending: boolean;
  readonly isClosed: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type State = Mutable<RoomStanding> & {
  readonly members: Map<string, RoomMember>;
  readonly invited: Map<string, RoomInvited>;
  /** Names that are taken. */
  readonly peers: Set<string>;
};

/** An entry with a body of one type. */
type Of<T extends RoomEntryBody['type']> = Omit<RoomEntry, 'body'> & {
  readonly body: Extract<RoomEntryBody, { readonly type: T }>;
};

/** What an entry of one type needs, and what it does then. */
interface Rule<T extends RoomEntryBody['type']> {
  refusal(state: State, entry: Of<T>): StandingRefusal | undefined;
  apply(state: State, entry: Of<T>): void;
}

type LaterType = Exclude<RoomEntryBody['type'], 'CREATE'>;

const roleOf = (state: State, key: string | undefined): RoomRole | undefined => state.members.get(key ?? '')?.role;
const isOwner = (state: State, key: string): boolean => roleOf(state, key) === 'owner';
const leads = (state: State, key: string): boolean => isOwner(state, key) || roleOf(state, key) === 'moderator';

function remove(state: State, key: string): void {
  const gone = state.members.get(key) ?? state.invited.get(key);
  if (gone !== undefined) state.peers.delete(gone.peer);
  state.members.delete(key);
  state.invited.delete(key);
}

function inviteRefusal(state: State, { actor, subject = '', body }: Of<'INVITE'>): StandingRefusal | undefined {
  const isAllowed = body.role === 'moderator' ? isOwner(state, actor) : leads(state, actor);
  if (!isAllowed) return 'not-allowed';
  if (state.members.has(subject) || state.invited.has(subject) || state.peers.has(body.peer)) return 'already-there';
  return state.members.size + state.invited.size >= maxMembers ? 'full' : undefined;
}

/** Whether whoever is to go stands below whoever sends it away. */
function kickRefusal(state: State, { actor, subject = '', body }: Of<'KICK'>): StandingRefusal | undefined {
  if (!leads(state, actor)) return 'not-allowed';
  const invited = state.invited.get(subject);
  const role = invited?.role ?? roleOf(state, subject);
  if (role === undefined) return 'no-such-member';
  // A new key is what keeps a member out; who was never in has none to lose.
  if ((body.commit === undefined) !== (invited !== undefined)) return 'not-allowed';
  const isBelow = role === 'member' || (role === 'moderator' && isOwner(state, actor));
  return isBelow ? undefined : 'not-allowed';
}

function roleRefusal(state: State, { actor, subject = '', body }: Of<'ROLE'>): StandingRefusal | undefined {
  if (!isOwner(state, actor)) return 'not-allowed';
  const role = roleOf(state, subject);
  if (role === undefined) return 'no-such-member';
  if (role === body.role) return 'already-there';
  // There is always one owner: it hands the room over, and does not lay it down.
  return subject === actor ? 'not-allowed' : undefined;
}

function setRole(state: State, key: string, role: RoomRole): void {
  const member = state.members.get(key);
  if (member !== undefined) state.members.set(key, { ...member, role });
}

const rules: { readonly [T in LaterType]: Rule<T> } = {
  INVITE: {
    refusal: inviteRefusal,
    apply(state, { actor, subject = '', body: { peer, role } }) {
      state.invited.set(subject, { sign: subject, peer, role, by: actor });
      state.peers.add(peer);
    },
  },
  JOIN: {
    refusal(state, { actor, body }) {
      return state.invited.get(actor)?.peer === body.peer ? undefined : 'not-allowed';
    },
    apply(state, { actor, body: { peer } }) {
      const role = state.invited.get(actor)?.role ?? 'member';
      state.invited.delete(actor);
      state.members.set(actor, { sign: actor, peer, role });
    },
  },
  DECLINE: {
    refusal: (state, { actor }) => (state.invited.has(actor) ? undefined : 'not-allowed'),
    apply: (state, { actor }) => remove(state, actor),
  },
  LEAVE: {
    refusal(state, { actor }) {
      if (!state.members.has(actor)) return 'not-allowed';
      return isOwner(state, actor) ? 'not-allowed' : undefined;
    },
    apply(state, { actor }) {
      remove(state, actor);
      state.isRekeyPending = true;
    },
  },
  KICK: {
    refusal: kickRefusal,
    apply(state, { subject = '', body }) {
      remove(state, subject);
      if (body.commit !== undefined) state.isRekeyPending = false;
    },
  },
  ROLE: {
    refusal: roleRefusal,
    apply(state, { actor, subject = '', body }) {
      setRole(state, subject, body.role);
      if (body.role === 'owner') setRole(state, actor, 'moderator');
    },
  },
  REKEY: {
    refusal: (state, { actor }) => (state.members.has(actor) ? undefined : 'not-allowed'),
    apply(state) {
      state.isRekeyPending = false;
    },
  },
  TOPIC: {
    refusal(state, { actor, body }) {
      if (!leads(state, actor)) return 'not-allowed';
      return state.name === body.name && state.topic === body.topic ? 'already-there' : undefined;
    },
    apply(state, { body }) {
      state.name = body.name;
      state.topic = body.topic;
    },
  },
  CLOSE: {
    refusal: (state, { actor }) => (isOwner(state, actor) ? undefined : 'not-allowed'),
    apply(state) {
      state.isClosed = true;
    },
  },
};

/** Whether an entry begins an epoch (R17). */
export function beginsEpoch({ type, ...body }: RoomEntryBody): boolean {
  if (type === 'KICK') return 'commit' in body && body.commit !== undefined;
  return type === 'CREATE' || type === 'JOIN' || type === 'REKEY';
}

/** A room's state, as entries change it. */
export interface RoomStandingMachine {
  /** Changes as entries are applied. */
  readonly standing: RoomStanding;
  /** Why the entry does not count now; its place in the log is not looked at. */
  refusalOf(entry: RoomEntry): StandingRefusal | undefined;
  /** Applies an entry that is not refused. */
  apply(entry: RoomEntry): void;
  /** The same state, which goes on by itself. */
  copy(): RoomStandingMachine;
}

/** The rule of one type, for an entry of it: what the compiler cannot follow through a lookup. */
function ruleOf(body: Exclude<RoomEntryBody, Of<'CREATE'>['body']>): Rule<LaterType> {
  return rules[body.type] as Rule<LaterType>;
}

/** Begins a room as its CREATE says: whoever signed that is its owner. */
export function beginRoom({ actor, body }: Of<'CREATE'>): RoomStandingMachine {
  const { peer, name, topic, history } = body;
  const state: State = {
    ...{ name, topic, history, epoch: 0, isRekeyPending: false, isClosed: false },
    members: new Map([[actor, { sign: actor, peer, role: 'owner' }]]),
    invited: new Map(),
    peers: new Set([peer]),
  };
  return machineOf(state);
}

function machineOf(state: State): RoomStandingMachine {
  return {
    standing: state,
    refusalOf(entry) {
      if (state.isClosed) return 'closed';
      if (entry.body.type === 'CREATE') return 'already-there';
      return ruleOf(entry.body).refusal(state, entry as Of<LaterType>);
    },
    apply(entry) {
      if (entry.body.type === 'CREATE') throw new TypeError('a room begins once');
      ruleOf(entry.body).apply(state, entry as Of<LaterType>);
      if (beginsEpoch(entry.body)) state.epoch++;
    },
    copy() {
      const { members, invited, peers } = state;
      return machineOf({
        ...state,
        ...{ members: new Map(members), invited: new Map(invited), peers: new Set(peers) },
      });
    },
  };
}
