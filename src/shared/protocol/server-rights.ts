/**
 * What a nats-server is told to let one peer do, from the same tables by which the engine judges its calls (protocol.md A4).
 * Law: pure; nothing is granted that no rule of A2 or A10 allows, and every right is one that the NATS engine uses for it.
 *
 * A server knows no sessions and no members of rooms: `*` stands there. What follows from that is in docs/spec/access.md.
 */
import { type AccessHolder, explainHolder, type HolderAction, holderPatterns } from './acl.ts';
import { inboxPrefixOf, readerNames, requestInboxes } from './reader-names.ts';
import { consumerFilter, explainStorage, mediaBucket, type StorageHolder, valueBuckets } from './storage-access.ts';
import type { StorageAction } from './storage-rules.ts';
import { isClaimed, type StreamSpec, streamsOf } from './stream-table.ts';
import { checkToken, covers, overlaps } from './subject.ts';

/** A peer as its grant has it. */
export interface GrantedHolder extends Pick<StorageHolder, 'workspace' | 'roles' | 'holdsRoot'> {
  readonly peer: string;
  readonly queues: readonly string[];
  /** Other peers whose large values it may read; each has a bucket of its own, so a server must be told of each. */
  readonly mediaOf?: readonly string[];
}

/** Subjects as nats-server has them; a deny beats an allow. Sorted, without doubles. */
export interface ServerRights {
  readonly publish: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[]; readonly deny: readonly string[] };
}

/** What stands for a name that a server cannot know. */
const anyName = '*';

/** What two patterns both match, as a pattern; undefined: nothing. A `>` of one is taken as what the other has there. */
function intersection(left: string, right: string): string | undefined {
  if (!overlaps(left, right)) return undefined;
  const [a, b] = [left.split('.'), right.split('.')];
  const tokens: string[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] === '>') return [...tokens, ...b.slice(i)].join('.');
    if (b[i] === '>') return [...tokens, ...a.slice(i)].join('.');
    tokens.push((a[i] === '*' ? b[i] : a[i]) ?? '');
  }
  return tokens.join('.');
}

/** The holder, whatever its sessions are called. */
function widened({ workspace, peer, roles, queues }: GrantedHolder): AccessHolder {
  const sessions = { has: (name: string) => name === anyName, values: () => [anyName] };
  return { workspace, peer, roles, queues: new Set(queues), sessions };
}

interface Asking {
  readonly holder: GrantedHolder;
  readonly mayDo: (action: StorageAction, place: string) => boolean;
  /** Patterns of what it may read, in whichever session. */
  readonly reads: readonly string[];
  /** Whether it may read all that the pattern matches, without knowing whose session it is. */
  readonly mayReadAll: (pattern: string) => boolean;
}

const api = (verb: string): string => `$JS.API.${verb}`;

/** Reading through a consumer of a moment, whose filter stands in the subject. */
function readerRights(stream: string, names: readonly string[], filters: readonly string[]): string[] {
  return names.flatMap((name) => [
    ...filters.map((filter) => api(`CONSUMER.CREATE.${stream}.${name}.${filter}`)),
    ...[api(`CONSUMER.MSG.NEXT.${stream}.${name}`), api(`CONSUMER.DELETE.${stream}.${name}`)],
  ]);
}

/** What the peer may read of a stream: all, or what matches some patterns. */
function readable({ name, subjects }: StreamSpec, { mayDo, reads, mayReadAll }: Asking) {
  const isWhole = mayDo('read', `stream.${name}`) || subjects.every(mayReadAll);
  const filters = isWhole
    ? [...subjects]
    : subjects.flatMap((subject) => reads.flatMap((pattern) => intersection(pattern, subject) ?? []));
  return { isWhole, filters: filters.filter((one) => !filters.some((other) => other !== one && covers(other, one))) };
}

function streamRights(spec: StreamSpec, asking: Asking): string[] {
  const { holder, mayDo } = asking;
  const { name } = spec;
  const place = `stream.${name}`;
  const { isWhole, filters } = readable(spec, asking);
  const names = readerNames(holder.workspace, holder.peer);
  const rights: string[] = [];
  if (mayDo('inspect', place)) rights.push(api(`STREAM.INFO.${name}`));
  // A work queue takes no second consumer, and in a stream of interest a reader would count: those are read by number, or not at all.
  if (spec.retention === 'limits' && filters.length > 0) {
    rights.push(...readerRights(name, names, isWhole ? ['>'] : filters));
    if (isWhole) rights.push(...names.map((reader) => api(`CONSUMER.CREATE.${name}.${reader}`)));
  }
  if (isWhole || spec.retention === 'limits')
    rights.push(...filters.map((filter) => api(`DIRECT.GET.${name}.${filter}`)));
  // It ignores rights on subjects [M], so it is for those who may read every one of them.
  if (isWhole) rights.push(api(`STREAM.MSG.GET.${name}`));
  if (mayDo('delete', place)) rights.push(api(`STREAM.MSG.DELETE.${name}`));
  if (mayDo('purge', place)) rights.push(api(`STREAM.PURGE.${name}`));
  if (mayDo('make', place)) rights.push(api(`STREAM.CREATE.${name}`), api(`STREAM.UPDATE.${name}`));
  if (mayDo('remove', place)) rights.push(api(`STREAM.DELETE.${name}`));
  return [...rights, ...consumerRights(spec, asking)];
}

/** What a consumer of that name may be made to take. */
function makingRights(spec: StreamSpec, consumer: string, asking: Asking): string[] {
  const { name } = spec;
  const { workspace } = asking.holder;
  // What a consumer takes others do not get, and what it pushes goes where its maker says: so whoever administers makes all of them (A35).
  if (isClaimed(spec) && !asking.mayDo('remove', `consumer.${name}.${anyName}`)) return [];
  const verb = api(`CONSUMER.CREATE.${name}.${consumer}`);
  // Of whoever may name it as it likes: any that its stream may have. That the name fits the filter is for the engine to see.
  const form = consumerFilter(workspace, name, consumer === anyName ? `${anyQueueOf(spec)}x` : consumer);
  if (form === undefined) return [];
  if (form !== 'any') return [`${verb}.${consumer === anyName ? spec.subjects[0] : form}`];
  if (asking.mayDo('make', `stream.${name}`)) return [verb, `${verb}.>`];
  const { isWhole, filters } = readable(spec, asking);
  return isWhole ? [verb, `${verb}.>`] : filters.map((filter) => `${verb}.${filter}`);
}

/** How the names of a stream's consumers begin, where they tell what it takes. */
function anyQueueOf({ name }: StreamSpec): string {
  return name.startsWith('VAK_WORK_') ? 'queue-' : 'inbox-';
}

function consumerRights(spec: StreamSpec, asking: Asking): string[] {
  const { holder, mayDo } = asking;
  const { name } = spec;
  const { peer, queues } = holder;
  const named = [...queues.map((queue) => `queue-${queue}`), `inbox-${peer}`];
  const rightsOf = (consumer: string): string[] => {
    const place = `consumer.${name}.${consumer}`;
    const rights: string[] = [];
    if (mayDo('inspect', place)) rights.push(api(`CONSUMER.INFO.${name}.${consumer}`));
    if (mayDo('make', place)) rights.push(...makingRights(spec, consumer, asking));
    if (mayDo('pull', place))
      rights.push(api(`CONSUMER.MSG.NEXT.${name}.${consumer}`), `$JS.ACK.${name}.${consumer}.>`);
    if (mayDo('remove', place)) rights.push(api(`CONSUMER.DELETE.${name}.${consumer}`));
    return rights;
  };
  const rights = [anyName, ...named].flatMap(rightsOf);
  if (mayDo('inspect', `consumer.${name}.${anyName}`)) rights.push(api(`CONSUMER.LIST.${name}`));
  return rights;
}

function valueRights(bucket: string, { holder, mayDo }: Asking): string[] {
  const [place, stream, keys] = [`values.${bucket}`, `KV_${bucket}`, `$KV.${bucket}.`];
  const rights: string[] = [];
  if (mayDo('read', place)) {
    rights.push(api(`STREAM.INFO.${stream}`), api(`DIRECT.GET.${stream}.${keys}>`));
    // Everybody reads all of it, through names that are made up and told to nobody.
    rights.push(...readerRights(stream, [anyName], [`${keys}>`]));
  }
  if (mayDo('write', `${place}.${anyName}`)) rights.push(`${keys}>`);
  else if (mayDo('write', `${place}.${holder.peer}`)) rights.push(`${keys}${holder.peer}`);
  if (mayDo('make', place)) rights.push(api(`STREAM.CREATE.${stream}`), api(`STREAM.UPDATE.${stream}`));
  return rights;
}

/** Its own bucket, those that it may read, and for whoever administers those that it may make. */
function mediaRights({ holder, mayDo }: Asking): string[] {
  const { workspace, peer, mediaOf = [] } = holder;
  return [...new Set([peer, ...mediaOf])].flatMap((owner) => {
    const bucket = mediaBucket(workspace, owner);
    const [place, stream] = [`media.${owner}`, `OBJ_${bucket}`];
    const rights: string[] = [];
    if (mayDo('read', place)) {
      rights.push(api(`STREAM.INFO.${stream}`), api(`DIRECT.GET.${stream}.$O.${bucket}.M.*`));
      rights.push(...readerRights(stream, [anyName], [`$O.${bucket}.C.*`]));
    }
    if (mayDo('write', place)) rights.push(`$O.${bucket}.C.*`, `$O.${bucket}.M.*`, api(`STREAM.PURGE.${stream}`));
    // A stream may be made to take any subject, or to copy any other: to make one is for who may make all (A4).
    if (mayDo('make', 'media.*')) rights.push(api(`STREAM.CREATE.${stream}`), api(`STREAM.UPDATE.${stream}`));
    return rights;
  });
}

/**
 * A server takes the `>` of a subscription for a name that `*` stands for, and hands out what lies deeper too [M]: that is denied, where no
 * other right holds it.
 */
function deeper(allow: readonly string[]): readonly string[] {
  const beneath = allow.filter((one) => one.endsWith('.*')).map((one) => `${one}.>`);
  return beneath.filter((one) => !allow.some((other) => covers(other, one)));
}

function sorted(rights: Iterable<string>): readonly string[] {
  return [...new Set(rights)].sort();
}

/**
 * The rights of a peer at a server, by its grant. Throws `invalid-subject` for a name that is no token.
 */
export function serverRights(holder: GrantedHolder): ServerRights {
  const { workspace, peer, queues, mediaOf = [] } = holder;
  for (const name of [...queues, ...mediaOf]) checkToken(name, 'name');
  const wide = widened(holder);
  const { sessions: _, ...known } = wide;
  const storage = { ...wide, holdsRoot: holder.holdsRoot };
  const ask = (action: HolderAction, pattern: string): boolean => explainHolder(known, action, pattern).allowed;
  const asking: Asking = {
    holder,
    mayDo: (action, place) => explainStorage(storage, action, place).allowed,
    reads: holderPatterns(wide, 'read').allow,
    mayReadAll: (pattern) => pattern.startsWith('vak.') && ask('read', pattern),
  };
  const publish = holderPatterns(wide, 'publish');
  const subscribe = holderPatterns(wide, 'subscribe');
  const rights = [
    ...publish.allow,
    ...streamsOf(workspace).flatMap((spec) => streamRights(spec, asking)),
    ...valueBuckets(workspace).flatMap((bucket) => valueRights(bucket, asking)),
    ...mediaRights(asking),
  ];
  if (asking.mayDo('inspect', 'plane')) rights.push(api('INFO'));
  // Who writes to inboxes asks first whether there is one: a server acks and drops what nobody takes [M].
  if (publish.allow.some((pattern) => overlaps(pattern, `vak.agent.${workspace}.*.inbox`)))
    rights.push(api(`CONSUMER.INFO.VAK_INBOX_${workspace}.*`));
  // Answers, to inboxes of requests alone: those of JetStream are elsewhere. Not `allow_responses`: that lets an answer go to whatever subject the asker names, past every deny [M].
  if (holderPatterns(wide, 'answer').allow.length > 0) rights.push(requestInboxes(workspace));
  return {
    publish: { allow: sorted(rights), deny: sorted(publish.deny) },
    subscribe: {
      allow: sorted([...subscribe.allow, `${inboxPrefixOf(workspace, peer)}.>`]),
      deny: sorted([...subscribe.deny, ...deeper(subscribe.allow)]),
    },
  };
}
