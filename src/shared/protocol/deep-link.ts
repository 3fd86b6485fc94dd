/**
 * Links into the app: `vak://<workspace>/…`, each a place that a view shows (docs/spec/deep-links.md).
 * Law: pure; one text a place and one place a text, so that nothing that is not meant gets through; a link names a place and no action.
 *
 * `vak://<ws>/<peer>/<session>` is the source of an envelope (§2) and leads to its session; every other place begins with `~`, which is
 * in no name.
 */
import { VakError } from '../base/vak-error.ts';
import { isToken } from './subject.ts';

/** A place that a link can name. */
export type LinkedPlace =
  | { readonly kind: 'session'; readonly peer: string; readonly session: string }
  | { readonly kind: 'view'; readonly view: string }
  | { readonly kind: 'queue'; readonly queue: string; readonly taskId: string | null }
  | { readonly kind: 'letters'; readonly filter: string }
  /** `traceId`: 32 hexadecimal digits. */
  | { readonly kind: 'trace'; readonly traceId: string }
  | { readonly kind: 'approval'; readonly requestId: string }
  | { readonly kind: 'room'; readonly room: string; readonly messageId: string | null }
  | { readonly kind: 'peer'; readonly peer: string }
  | { readonly kind: 'setting'; readonly key: string };

export interface DeepLink {
  readonly workspace: string;
  readonly place: LinkedPlace;
}

/** A longer one is refused unread, UTF-16 units. */
export const maxLinkLength = 2_048;
/** A filter, decoded. */
const maxFilterLength = 512;

const scheme = 'vak://';
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const traceForm = /^(?!0{32})[0-9a-f]{32}$/;
const settingForm = /^[a-z][A-Za-z0-9]*(?:\.[a-z][A-Za-z0-9]*){0,4}$/;
const viewForm = /^[a-z]+(?:-[a-z]+)*$/;

function refuse(what: string): never {
  throw new VakError('invalid-input', `this link is not followed: ${what}; copy it anew where it comes from`);
}

/** One part of the path, in the form that it must have. */
function part(text: string | undefined, form: RegExp | ((text: string) => boolean), what: string): string {
  const fits = text !== undefined && text.length <= 128 && (form instanceof RegExp ? form.test(text) : form(text));
  if (!fits) refuse(`${what} is ${text === undefined || text === '' ? 'missing' : 'none'}`);
  return text as string;
}

const readers: Readonly<Record<string, (parts: readonly string[]) => LinkedPlace>> = {
  '~view': ([view]) => ({ kind: 'view', view: part(view, viewForm, 'its view') }),
  '~queue': ([queue, taskId]) => ({
    ...{ kind: 'queue', queue: part(queue, isToken, 'its queue') },
    taskId: taskId === undefined ? null : part(taskId, uuidForm, 'its task'),
  }),
  '~letters': ([filter]) => ({ kind: 'letters', filter: filterOf(filter) }),
  '~trace': ([traceId]) => ({ kind: 'trace', traceId: part(traceId, traceForm, 'its trace') }),
  '~approval': ([requestId]) => ({ kind: 'approval', requestId: part(requestId, uuidForm, 'its request') }),
  '~room': ([room, messageId]) => ({
    ...{ kind: 'room', room: part(room, isToken, 'its room') },
    messageId: messageId === undefined ? null : part(messageId, uuidForm, 'its message'),
  }),
  '~peer': ([peer]) => ({ kind: 'peer', peer: part(peer, isToken, 'its peer') }),
  '~setting': ([key]) => ({ kind: 'setting', key: part(key, settingForm, 'its setting') }),
};

/** Filters are free text, so they alone are percent-encoded (RFC 3986). */
function filterOf(encoded = ''): string {
  let filter = '';
  try {
    filter = decodeURIComponent(encoded);
  } catch {
    refuse('its filter is no UTF-8 in percent signs');
  }
  if (filter.length > maxFilterLength) refuse(`its filter has ${filter.length} characters of ${maxFilterLength}`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(filter)) refuse('its filter holds characters that nobody sees');
  return filter;
}

function pathOf(place: LinkedPlace): string {
  const both = (name: string, first: string, second: string | null): string =>
    second === null ? `~${name}/${first}` : `~${name}/${first}/${second}`;
  switch (place.kind) {
    case 'session':
      return `${place.peer}/${place.session}`;
    case 'view':
      return both('view', place.view, null);
    case 'queue':
      return both('queue', place.queue, place.taskId);
    case 'letters':
      return place.filter === '' ? '~letters' : both('letters', encodeURIComponent(place.filter), null);
    case 'trace':
      return both('trace', place.traceId, null);
    case 'approval':
      return both('approval', place.requestId, null);
    case 'room':
      return both('room', place.room, place.messageId);
    case 'peer':
      return both('peer', place.peer, null);
    case 'setting':
      return both('setting', place.key, null);
  }
}

/** The link's text. The place must be a sound one: what `parseDeepLink` gives. */
export function formatDeepLink({ workspace, place }: DeepLink): string {
  return `${scheme}${workspace}/${pathOf(place)}`;
}

/** Reads a link. Throws `invalid-input`, which says what of it is wrong. */
export function parseDeepLink(text: string): DeepLink {
  if (text.length > maxLinkLength) refuse(`it has ${text.length} characters of ${maxLinkLength}`);
  if (!text.startsWith(scheme)) refuse(`it does not begin with ${scheme}`);
  const [workspace, name = '', ...rest] = text.slice(scheme.length).split('/');
  const ws = part(workspace, isToken, 'its workspace');
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read === undefined && name.startsWith('~')) refuse('this version knows no such place');
  const place: LinkedPlace = read?.(rest) ?? {
    ...{ kind: 'session', peer: part(name, isToken, 'its peer'), session: part(rest[0], isToken, 'its session') },
  };
  const link = { workspace: ws, place };
  // One text a place: nothing stands in it that was not read.
  if (formatDeepLink(link) !== text) refuse('more stands in it than a place');
  return link;
}
