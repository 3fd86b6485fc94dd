/**
 * What a nats-server lets a peer do besides the subjects of the fabric, and which rule says so (protocol.md A5, A10, A13).
 * Law: pure; it answers from the rights of the export, and names the storage rule by which they stand or fall.
 */
import { VakError } from '../base/vak-error.ts';
import type { AccessAnswer } from './acl.ts';
import type { AccessAction } from './acl-rules.ts';
import { inboxPrefixOf } from './reader-names.ts';
import { type GrantedHolder, serverRights } from './server-rights.ts';
import { explainStorage, mediaPlace } from './storage-access.ts';
import type { StorageAction } from './storage-rules.ts';
import { covers, matches, maxSubjectLength } from './subject.ts';

/** Whether a subject is a server's own (`$JS.API.…`, `$KV.…`, `_INBOX.…`): no table of A2 speaks of it. */
export function isServerSubject(text: string): boolean {
  return text.startsWith('$') || text.startsWith('_');
}

/** Throws `invalid-subject` for what a server takes for no subject. */
export function checkServerSubject(text: string): string {
  if (text.length <= maxSubjectLength && /^[\x21-\x2d\x2f-\x7e]+(\.[\x21-\x2d\x2f-\x7e]+)*$/.test(text)) return text;
  const form = `tokens of visible ASCII joined by ".", ${maxSubjectLength} characters at most`;
  throw new VakError('invalid-subject', `subject: expected ${form}; got ${text.length} characters`);
}

/** What is done to what, in the words of storage-rules.ts. */
interface Deed {
  readonly action: StorageAction;
  readonly place: string;
}

const streamVerbs: Readonly<Record<string, StorageAction>> = {
  ...{ INFO: 'inspect', CREATE: 'make', UPDATE: 'make', DELETE: 'remove', PURGE: 'purge' },
  ...{ 'MSG.GET': 'read', 'MSG.DELETE': 'delete' },
};
const consumerVerbs: Readonly<Record<string, StorageAction>> = {
  ...{ INFO: 'inspect', CREATE: 'make', 'DURABLE.CREATE': 'make', DELETE: 'remove', LIST: 'inspect', NAMES: 'inspect' },
  'MSG.NEXT': 'pull',
};

/** A stream that carries a bucket is that bucket. */
function bucketPlace(workspace: string, stream: string): string | undefined {
  if (stream.startsWith('KV_')) return `values.${stream.slice(3)}`;
  return stream.startsWith('OBJ_') ? mediaPlace(workspace, stream.slice(4)) : undefined;
}

function streamDeed(workspace: string, action: StorageAction, stream: string): Deed {
  const bucket = bucketPlace(workspace, stream);
  if (bucket === undefined) return { action, place: `stream.${stream}` };
  if (action === 'purge' || action === 'delete') return { action: 'write', place: bucket };
  return { action: action === 'inspect' ? 'read' : action, place: bucket };
}

function consumerDeed(workspace: string, action: StorageAction, [stream = '', name = '*']: readonly string[]): Deed {
  const bucket = bucketPlace(workspace, stream);
  if (bucket !== undefined) return { action: 'read', place: bucket };
  // A consumer of a moment is how a stream is read.
  if (name.startsWith('reader-')) return { action: 'read', place: `stream.${stream}` };
  return { action, place: `consumer.${stream}.${name}` };
}

/** The verb that the words begin with, of one or two of them, and what it does. */
function verbIn(words: readonly string[], verbs: Readonly<Record<string, StorageAction>>) {
  for (const count of [2, 1]) {
    const action = verbs[words.slice(0, count).join('.')];
    if (action !== undefined) return { action, rest: words.slice(count) };
  }
  return undefined;
}

function apiDeed(workspace: string, [kind = '', ...words]: readonly string[]): Deed | undefined {
  if (kind === 'INFO') return { action: 'inspect', place: 'plane' };
  if (kind === 'DIRECT') return words[0] === 'GET' ? streamDeed(workspace, 'read', words[1] ?? '') : undefined;
  const verb = verbIn(words, kind === 'STREAM' ? streamVerbs : kind === 'CONSUMER' ? consumerVerbs : {});
  if (verb === undefined || verb.rest.length === 0) return undefined;
  return kind === 'STREAM'
    ? streamDeed(workspace, verb.action, verb.rest[0] ?? '')
    : consumerDeed(workspace, verb.action, verb.rest);
}

/** What publishing the subject does; undefined where nothing of the workspace is meant. */
function deedOf(workspace: string, subject: string): Deed | undefined {
  const [first, second = '', ...rest] = subject.split('.');
  if (first === '$KV') return { action: 'write', place: ['values', second, ...rest].join('.') };
  if (first === '$O') return { action: 'write', place: mediaPlace(workspace, second) };
  if (first !== '$JS') return undefined;
  if (second === 'ACK') return consumerDeed(workspace, 'pull', rest);
  return second === 'API' ? apiDeed(workspace, rest) : undefined;
}

function whyRefused({ workspace, peer }: GrantedHolder, action: AccessAction, subject: string): string {
  if (!subject.startsWith('_INBOX.')) return 'A13 no role of it needs this of a server';
  const own = inboxPrefixOf(workspace, peer);
  return action === 'subscribe'
    ? `A13 its own inbox alone, ${own}.>`
    : 'A15 answers come from whoever answers requests';
}

/** Why the export lacks what a rule allows. */
function whyNotAsked({ action, place }: Deed): string {
  return action === 'make' && place.startsWith('consumer.')
    ? 'A35 whoever administers makes it at a server, as vak provision does'
    : 'A13 no engine asks this of a server';
}

/**
 * Says whether a server that was told the export lets the peer publish the subject or subscribe to it, and which rule decided: the storage
 * rule of what that does, else the right of the export. Throws `invalid-subject` for what is no subject, or a name that is no token.
 */
export function explainServer(holder: GrantedHolder, action: AccessAction, text: string): AccessAnswer {
  const subject = checkServerSubject(text);
  const { allow, deny } = serverRights(holder)[action];
  const holds = action === 'publish' ? matches : covers;
  const right = allow.find((pattern) => holds(pattern, subject));
  const allowed = right !== undefined && !deny.some((pattern) => holds(pattern, subject));
  const deed = action === 'publish' ? deedOf(holder.workspace, subject) : undefined;
  if (deed === undefined) return { allowed, rule: allowed ? `A13 ${right}` : whyRefused(holder, action, subject) };
  const { workspace, peer, roles, queues, holdsRoot } = holder;
  const storage = explainStorage(
    { workspace, peer, roles, queues: new Set(queues), holdsRoot },
    deed.action,
    deed.place,
  );
  if (allowed) return { allowed, rule: storage.allowed ? storage.rule : `A13 ${right}` };
  const why = storage.allowed ? whyNotAsked(deed) : storage.rule;
  return { allowed, rule: `${why} (${deed.action} ${deed.place})` };
}
