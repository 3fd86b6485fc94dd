/** Where a link leads, in words and in the views; and the link of what is shown. */
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import type { LinkedPlace } from '../../../shared/protocol/deep-link.ts';
import type { Mirror } from '../../state/mirror-store.ts';
import {
  showApprovals,
  showLetters,
  showPeer,
  showQueue,
  showRoom,
  showSession,
  showSetting,
  showTrace,
  type ViewId,
  type ViewState,
  viewIds,
} from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';

const isView = (text: string): text is ViewId => viewIds.includes(text as ViewId);

/** What a link leads to; `why`: it cannot be followed here. */
export interface PlaceWords {
  readonly what: string;
  readonly name: string;
  readonly why?: string;
}

/** `titleOf`: a view's title. */
export function placeWords(place: LinkedPlace, titleOf: (view: ViewId) => string): PlaceWords {
  switch (place.kind) {
    case 'session':
      return { what: `Session of ${place.peer}`, name: place.session };
    case 'view':
      return isView(place.view)
        ? { what: 'View', name: titleOf(place.view) }
        : { what: 'View', name: place.view, why: 'this version has no such view' };
    case 'queue':
      return place.taskId === null
        ? { what: 'Queue', name: place.queue }
        : { what: `Task of queue ${place.queue}`, name: place.taskId };
    case 'letters':
      return { what: 'Dead letters', name: place.filter === '' ? 'all' : place.filter };
    case 'trace':
      return { what: 'Trace', name: place.traceId };
    case 'approval':
      return { what: 'Request for approval', name: place.requestId };
    case 'room':
      return place.messageId === null
        ? { what: 'Room', name: place.room }
        : { what: `Message of room ${place.room}`, name: place.messageId };
    case 'peer':
      return { what: 'Peer', name: place.peer };
    case 'setting':
      return { what: 'Setting', name: place.key };
  }
}

/** Whether this app sees now what a place names; views that say themselves what is not there are taken at their word. */
export function isSeenHere(place: LinkedPlace, mirror: Mirror): boolean {
  switch (place.kind) {
    case 'session':
      return mirror['sessions.list']?.sessions.some(({ session }) => session === place.session) ?? false;
    case 'room':
      return mirror['rooms.state']?.rooms.some(({ room }) => room === place.room) ?? false;
    case 'peer':
      return mirror['access.peers']?.peers.some(({ peer }) => peer === place.peer) ?? false;
    case 'approval': {
      const { pending = [], past = [] } = mirror['approvals.state'] ?? {};
      return [...pending, ...past].some(({ requestId }) => requestId === place.requestId);
    }
    default:
      return true;
  }
}

/** Shows the place. Nothing else happens. */
export function showPlace(view: Workbench['view'], place: LinkedPlace): void {
  switch (place.kind) {
    case 'session':
      showSession(view, place.session);
      break;
    case 'view':
      if (isView(place.view)) view.setState({ view: place.view });
      break;
    case 'queue':
      showQueue(view, place.queue, place.taskId);
      break;
    case 'letters':
      showLetters(view, place.filter);
      break;
    case 'trace':
      showTrace(view, place.traceId);
      break;
    case 'approval':
      showApprovals(view, place.requestId);
      break;
    case 'room':
      showRoom(view, place.room, place.messageId);
      break;
    case 'peer':
      showPeer(view, place.peer);
      break;
    case 'setting':
      showSetting(view, place.key);
      break;
  }
}

type Shown = Pick<
  ViewState,
  'view' | 'selectedSession' | 'selectedQueue' | 'selectedRoom' | 'selectedTrace' | 'letterFilter'
>;

/** What is shown, as narrowly as a link can name it. */
export function shownPlace(shown: Shown, sessions: readonly Pick<SessionSummary, 'session' | 'peer'>[]): LinkedPlace {
  const { view, selectedSession, selectedQueue, selectedRoom, selectedTrace, letterFilter } = shown;
  const peer = sessions.find(({ session }) => session === selectedSession)?.peer ?? null;
  if (view === 'streams' && selectedSession !== null && peer !== null)
    return { kind: 'session', peer, session: selectedSession };
  if (view === 'queues' && selectedQueue !== null) return { kind: 'queue', queue: selectedQueue, taskId: null };
  if (view === 'dead-letters') return { kind: 'letters', filter: letterFilter };
  if (view === 'trace' && selectedTrace !== null) return { kind: 'trace', traceId: selectedTrace };
  if (view === 'rooms' && selectedRoom !== null) return { kind: 'room', room: selectedRoom, messageId: null };
  return { kind: 'view', view };
}
