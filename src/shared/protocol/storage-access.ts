/**
 * Who may do what with streams, consumers and buckets, and which rule says so (A4, A5, A10).
 * Law: pure; default deny; a place outside the workspace's own tables is reached by nobody.
 */
import { type AccessAnswer, type AccessHolder, ruleThatReaches } from './acl.ts';
import { rootRules, type StorageAction, type StorageRule, storageRules } from './storage-rules.ts';
import { type StreamSpec, streamsOf } from './stream-table.ts';
import { checkToken, isToken, matches } from './subject.ts';

/** A peer as {@link AccessHolder} has it. */
export interface StorageHolder extends AccessHolder {
  /** Whether it holds the workspace's root key (I4). */
  readonly holdsRoot?: boolean | undefined;
}

/** Kinds of the key-value buckets (§1). */
const valueKinds = ['CARDS', 'GRANTS', 'STATE'];

/** The stream of the workspace's table that has the name. */
export function streamNamed(workspace: string, name: string): StreamSpec | undefined {
  return streamsOf(workspace).find((spec) => spec.name === name);
}

/** The buckets of values of a workspace. Throws `invalid-subject` for a workspace that is no token. */
export function valueBuckets(workspace: string): readonly string[] {
  const ws = checkToken(workspace, 'workspace');
  return valueKinds.map((kind) => `VAK_${kind}_${ws}`);
}

/** The bucket of large values that one peer writes; the length keeps two pairs of names apart. Throws `invalid-subject`. */
export function mediaBucket(workspace: string, peer: string): string {
  const ws = checkToken(workspace, 'workspace');
  return `VAK_MEDIA_${ws.length}_${ws}_${checkToken(peer, 'peer')}`;
}

/** Where the objects of a bucket lie: `media.<peer>`; a bucket that is no peer's of this workspace is no place of a rule. */
export function mediaPlace(workspace: string, bucket: string): string {
  const prefix = `VAK_MEDIA_${workspace.length}_${workspace}_`;
  const owner = bucket.slice(prefix.length);
  return bucket.startsWith(prefix) && isToken(owner) ? `media.${owner}` : `objects.${bucket}`;
}

/**
 * The only filter that a consumer of that name may have: of a queue's tasks, of a peer's inbox. `any`: what its maker may read.
 * Undefined: there is no consumer of that name, for it would take from others what is theirs.
 */
export function consumerFilter(workspace: string, stream: string, name: string): string | undefined {
  const forms: Readonly<Record<string, readonly [prefix: string, plane: string, verb: string]>> = {
    [`VAK_WORK_${workspace}`]: ['queue-', 'work', 'task'],
    [`VAK_INBOX_${workspace}`]: ['inbox-', 'agent', 'inbox'],
  };
  const form = forms[stream];
  if (form === undefined) return 'any';
  const [prefix, plane, verb] = form;
  const entity = name.slice(prefix.length);
  return name.startsWith(prefix) && isToken(entity) ? `vak.${plane}.${workspace}.${entity}.${verb}` : undefined;
}

/** Whether a place lies in this workspace's tables. */
function isOfWorkspace(workspace: string, place: string): boolean {
  const [kind, name = ''] = place.split('.');
  switch (kind) {
    case 'plane':
    case 'media':
      return true;
    case 'stream':
    case 'consumer':
      return streamNamed(workspace, name) !== undefined;
    case 'values':
      return valueBuckets(workspace).includes(name);
    default:
      return false;
  }
}

/** The patterns of a rule's places for this peer: one for each of its queues. */
function ownPlaces({ place }: StorageRule, { workspace, peer, queues }: StorageHolder): readonly string[] {
  const known = place.replace('{ws}', workspace);
  if (known.includes('{peer}')) return peer === undefined ? [] : [known.replace('{peer}', peer)];
  if (!known.includes('{queue}')) return [known];
  return Array.from(queues?.values() ?? [], (queue) => known.replace('{queue}', queue));
}

/** Who may read or claim may see the figures; so may, of a consumer, who makes it. */
const impliesFigures: ReadonlySet<StorageAction> = new Set(['inspect', 'read', 'pull', 'make']);

/**
 * Says whether the peer may do it at that place (see storage-rules.ts), and which rule decided. Figures of a stream are open to
 * whoever may publish or read something of it. Throws `invalid-subject` if a name of the holder is no token.
 */
export function explainStorage(holder: StorageHolder, action: StorageAction, place: string): AccessAnswer {
  const { workspace, peer, queues, roles, holdsRoot } = holder;
  checkToken(workspace, 'workspace');
  if (peer !== undefined) checkToken(peer, 'peer');
  for (const queue of queues?.values() ?? []) checkToken(queue, 'queue');
  if (!isOfWorkspace(workspace, place)) return { allowed: false, rule: 'A1 deny what is not of the workspace' };
  const rules = [...roles.flatMap((role) => storageRules.get(role) ?? []), ...(holdsRoot === true ? rootRules : [])];
  const fits = (rule: StorageRule): boolean =>
    (rule.action === action || (action === 'inspect' && impliesFigures.has(rule.action))) &&
    ownPlaces(rule, holder).some((pattern) => matches(pattern, place));
  const deciding = rules.find(fits);
  if (deciding !== undefined) return { allowed: true, rule: deciding.name };
  const stream =
    action === 'inspect' && place.startsWith('stream.') ? streamNamed(workspace, place.slice(7)) : undefined;
  const reaching = stream && ruleThatReaches(holder, stream.subjects);
  return reaching ? { allowed: true, rule: reaching.name } : { allowed: false, rule: 'A1 default deny' };
}

/** Whether a stream takes the subjects of its row of the table, and no others. */
export function takesItsSubjects(workspace: string, { name, subjects }: StreamSpec): boolean {
  const wanted = streamNamed(workspace, name)?.subjects ?? [];
  return subjects.length === wanted.length && wanted.every((pattern) => subjects.includes(pattern));
}
