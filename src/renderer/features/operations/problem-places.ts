/** Where a problem leads, and what the button that goes there says. */
import {
  showApprovals,
  showConnections,
  showGap,
  showLetters,
  showQuarantine,
  showQueue,
  showSession,
} from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import type { ProblemPlace } from './problems.ts';

const words: Readonly<Record<ProblemPlace['kind'], string>> = {
  session: 'Open its session',
  queue: 'Open the queue',
  queues: 'Open the queues',
  letters: 'Open the dead letters',
  dropped: 'Show the gap',
  outage: 'Show the gap',
  quarantine: 'Show them',
  connections: 'Open the connections',
  approvals: 'Open the approvals',
  access: 'Open the grants',
  records: 'List them',
};

export function placeWord({ kind }: ProblemPlace): string {
  return words[kind];
}

/** Leads to what a problem speaks of. */
export function openPlace(view: Workbench['view'], place: ProblemPlace): void {
  switch (place.kind) {
    case 'session':
      showSession(view, place.session);
      break;
    case 'queue':
      showQueue(view, place.queue);
      break;
    case 'letters':
      showLetters(view, place.filter);
      break;
    case 'dropped':
    case 'outage':
      showGap(view, place.kind);
      break;
    case 'quarantine':
      showQuarantine(view);
      break;
    case 'connections':
      showConnections(view);
      break;
    case 'approvals':
      showApprovals(view);
      break;
    case 'queues':
      view.setState({ view: 'queues' });
      break;
    // They unfold below the problem itself.
    case 'records':
      break;
    case 'access':
      view.setState({ view: 'identity' });
      break;
  }
}
