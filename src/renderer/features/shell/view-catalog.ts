/** The nine views as the rail, the palette and the keys show them. */
import {
  ChartGantt,
  ClipboardCheck,
  Hash,
  KeyRound,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Settings,
  Skull,
  Waves,
} from 'lucide-react';
import { type ViewId, viewIds } from '../../state/view-store.ts';

export interface ViewEntry {
  readonly id: ViewId;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly keys: string;
}

const faces: Readonly<Record<ViewId, Pick<ViewEntry, 'title' | 'icon'>>> = {
  operations: { title: 'Operations Center', icon: LayoutDashboard },
  streams: { title: 'Streams', icon: Waves },
  queues: { title: 'Queues', icon: Layers },
  'dead-letters': { title: 'Dead letters', icon: Skull },
  trace: { title: 'Trace', icon: ChartGantt },
  approvals: { title: 'Approvals', icon: ClipboardCheck },
  rooms: { title: 'Rooms', icon: Hash },
  identity: { title: 'Identity & access', icon: KeyRound },
  settings: { title: 'Settings', icon: Settings },
};

/** In the order of the rail; Mod+1 is the first. */
export const viewCatalog: readonly ViewEntry[] = viewIds.map((id, index) => ({
  id,
  ...faces[id],
  keys: `Mod+${index + 1}`,
}));

export function titleOfView(id: ViewId): string {
  return faces[id].title;
}
