/**
 * What one peer may do on the fabric, as its grant says (protocol.md A1–A4): asked at every call that it makes.
 * Law: what is not allowed is refused with the rule that decided, counted, and told to whoever watches; nothing here grows without bound.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { type AccessAnswer, type AccessHolder, explainHolder, type HolderAction } from '../../shared/protocol/acl.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { explainStorage } from '../../shared/protocol/storage-access.ts';
import type { StorageAction } from '../../shared/protocol/storage-rules.ts';
import { checkToken, maxSubjectLength } from '../../shared/protocol/subject.ts';
import { type BoundedCache, createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createDenialTeller, type DeniedAccess, shownTry, type Tried } from './denial-teller.ts';
import { refusalError } from './refusal-words.ts';

/** Answers that are remembered, of each kind. */
const rememberedAnswers = 1024;
/** Sessions of one peer's process, at most. */
const maxSessions = 4096;

export interface PermitOptions {
  readonly workspace: string;
  readonly peer: string;
  readonly roles: readonly Role[];
  /** Queues of its grant. */
  readonly queues?: readonly string[];
  /** Sessions that it has by now. */
  readonly sessions?: readonly string[];
  /** Whether a session is its own by its name, so that nobody need tell of it: those of its process, and those before it, whose outbox it goes on with. */
  readonly ownsSession?: (session: string) => boolean;
  /** Whether it holds the workspace's root key. */
  readonly holdsRoot?: boolean;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Logger;
  /** Told of refusals, at most 32 a second. */
  readonly onDenied: (denied: DeniedAccess) => void;
}

/** The rights of one peer. */
export interface Permit {
  readonly workspace: string;
  readonly peer: string;
  /** A session that the peer has begun, or whose outbox it goes on with. Throws `invalid-subject`, `limit-exceeded` (4 096). */
  addSession(session: string): void;
  /** What it is granted now, in place of what it was: it counts from the next call on. Without a role nothing is allowed. Throws `invalid-subject`. */
  regrant(rights: Pick<PermitOptions, 'roles' | 'queues'>): void;
  /** Throws `invalid-subject`, `invalid-pattern` for what is none. */
  ask(action: HolderAction, subjectOrPattern: string): AccessAnswer;
  askStorage(action: StorageAction, place: string): AccessAnswer;
  /** As {@link ask}; throws `forbidden` unless it is allowed. `tried`: what it is called in the refusal, if not `action`. */
  check(action: HolderAction, subjectOrPattern: string, tried?: Tried): void;
  /** Throws `forbidden` unless it is allowed. */
  checkStorage(action: StorageAction, place: string): void;
  /** The refusal of what was tried, which is counted and told. */
  refuse(tried: Tried, rule: string): VakError;
  /** Refusals so far. */
  deniedCount(): number;
}

/** Remembers answers of one kind by the text that was asked about. */
function remember<Action extends string>(
  explain: (action: Action, text: string) => AccessAnswer,
): { ask(action: Action, text: string): AccessAnswer; forget(): void } {
  const memories = new Map<Action, BoundedCache<AccessAnswer>>();
  return {
    ask(action, text) {
      let memory = memories.get(action);
      if (memory === undefined) {
        memory = createBoundedCache(rememberedAnswers);
        memories.set(action, memory);
      }
      const known = memory.get(text);
      if (known !== undefined) return known;
      const answer = explain(action, text);
      // Names of places have no bound before the engine looks at them.
      if (text.length <= maxSubjectLength) memory.set(text, answer);
      return answer;
    },
    forget: () => memories.clear(),
  };
}

/** Makes the permit of a peer. Throws `invalid-subject` for a name that is no token, `limit-exceeded` for too many sessions. */
export function createPermit(options: PermitOptions): Permit {
  const workspace = checkToken(options.workspace, 'workspace');
  const peer = checkToken(options.peer, 'peer');
  const sessions = new Set<string>();
  const ownsSession = options.ownsSession ?? (() => false);
  const own = { has: (name: string) => sessions.has(name) || ownsSession(name), values: () => sessions.values() };
  const holderOf = ({ roles, queues = [] }: Pick<PermitOptions, 'roles' | 'queues'>): AccessHolder => {
    const checked = new Set(queues.map((queue) => checkToken(queue, 'queue')));
    return { workspace, peer, roles: [...new Set(roles)], queues: checked, sessions: own };
  };
  let holder = holderOf(options);
  const subjects = remember<HolderAction>((action, text) => explainHolder(holder, action, text));
  const places = remember<StorageAction>((action, place) =>
    explainStorage({ ...holder, holdsRoot: options.holdsRoot ?? false }, action, place),
  );
  const tell = createDenialTeller({ ...options, side: 'engine' });
  let deniedCount = 0;

  function addSession(session: string): void {
    checkToken(session, 'session');
    if (sessions.has(session)) return;
    if (sessions.size >= maxSessions) {
      throw new VakError('limit-exceeded', `session: a peer has at most ${maxSessions}; start it anew`);
    }
    sessions.add(session);
    subjects.forget();
  }

  function refuse({ action, subject }: Tried, rule: string): VakError {
    deniedCount++;
    const tried = shownTry({ action, subject });
    tell(tried, rule);
    return refusalError({ ...tried, peer, roles: holder.roles, rule, side: 'engine' });
  }

  for (const session of options.sessions ?? []) addSession(session);

  return {
    workspace,
    peer,
    addSession,
    regrant(rights) {
      holder = holderOf(rights);
      subjects.forget();
      places.forget();
    },
    ask: subjects.ask,
    askStorage: places.ask,
    check(action, text, tried = { action, subject: text }) {
      const { allowed, rule } = subjects.ask(action, text);
      if (!allowed) throw refuse(tried, rule);
    },
    checkStorage(action, place) {
      const { allowed, rule } = places.ask(action, place);
      if (!allowed) throw refuse({ action, subject: place }, rule);
    },
    refuse,
    deniedCount: () => deniedCount,
  };
}
