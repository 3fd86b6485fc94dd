/** Puts the features together: the gate, the frame with its nine views, and what is in the window all the time. */
import { LucideProvider } from 'lucide-react';
import { useStore } from 'zustand';
import type { Attention } from '../shared/contract/operations-contract.ts';
import { ApprovalsView } from './features/approvals/approvals-view.tsx';
import { ConnectionsFeature } from './features/connections/connections-feature.tsx';
import { ConnectionsSection } from './features/connections/connections-section.tsx';
import { DeadLettersFeature } from './features/dead-letters/dead-letters-feature.tsx';
import { DeadLettersView } from './features/dead-letters/dead-letters-view.tsx';
import { Gate } from './features/gate/gate.tsx';
import { KeyStoreFeature } from './features/gate/key-store-feature.tsx';
import { IdentityFeature } from './features/identity/identity-feature.tsx';
import { IdentityView } from './features/identity/identity-view.tsx';
import { LinksFeature } from './features/links/link-sheet.tsx';
import { OperationsFeature } from './features/operations/operations-feature.tsx';
import { OperationsView } from './features/operations/operations-view.tsx';
import { isAmiss } from './features/queues/queue-words.ts';
import { QueuesFeature } from './features/queues/queues-feature.tsx';
import { QueuesView } from './features/queues/queues-view.tsx';
import { roomsWaiting } from './features/rooms/room-words.ts';
import { RoomsFeature } from './features/rooms/rooms-feature.tsx';
import { RoomsView } from './features/rooms/rooms-view.tsx';
import { SettingsFeature } from './features/settings/settings-feature.tsx';
import { SettingsView } from './features/settings/settings-view.tsx';
import { Shell } from './features/shell/shell.tsx';
import { titleOfView } from './features/shell/view-catalog.ts';
import { ViewHost } from './features/shell/view-host.tsx';
import { StreamsView } from './features/streams/streams-view.tsx';
import { SwarmFeature } from './features/swarm/swarm-feature.tsx';
import { TraceView } from './features/trace/trace-view.tsx';
import type { NoticeStore } from './ui/notice-store.ts';
import { Notices } from './ui/notices.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import { useSnapshot, useWorkbench, type Workbench, WorkbenchProvider } from './workbench.tsx';

function Views() {
  return (
    <>
      <ViewHost view="operations">
        <OperationsView />
      </ViewHost>
      <ViewHost view="streams" isKept>
        <StreamsView />
      </ViewHost>
      <ViewHost view="queues">
        <QueuesView />
      </ViewHost>
      <ViewHost view="dead-letters">
        <DeadLettersView />
      </ViewHost>
      <ViewHost view="trace">
        <TraceView />
      </ViewHost>
      <ViewHost view="approvals">
        <ApprovalsView />
      </ViewHost>
      <ViewHost view="rooms">
        <RoomsView />
      </ViewHost>
      <ViewHost view="identity">
        <IdentityView />
      </ViewHost>
      <ViewHost view="settings">
        <SettingsView connections={<ConnectionsSection />} />
      </ViewHost>
    </>
  );
}

export interface AppProps {
  readonly workbench: Workbench;
  readonly notices: NoticeStore;
}

const nothing: Attention = { incidentCount: 0, approvalCount: 0 };

/** The workbench itself; mounted while the key store is open. */
function OpenWorkbench({ notices }: Pick<AppProps, 'notices'>) {
  const { mirror } = useWorkbench();
  const attention = useSnapshot('operations.state')?.attention ?? nothing;
  const amissCount = useStore(mirror, ({ 'queues.state': state }) => state?.queues.filter(isAmiss).length ?? 0);
  const openCauses = useStore(mirror, ({ 'dlq.state': state }) => state?.openGroupCount ?? 0);
  const waitingRooms = useStore(mirror, ({ 'rooms.state': state }) => roomsWaiting(state));
  return (
    <>
      <Shell
        attention={attention}
        badges={{
          ...{ operations: attention.incidentCount, queues: amissCount },
          ...{ 'dead-letters': openCauses, approvals: attention.approvalCount, rooms: waitingRooms },
        }}
        notices={<Notices notices={notices} />}
      >
        <Views />
      </Shell>
      <OperationsFeature />
      <SwarmFeature />
      <QueuesFeature />
      <DeadLettersFeature />
      <RoomsFeature />
      <ConnectionsFeature />
      <IdentityFeature />
      <KeyStoreFeature />
      <SettingsFeature />
      <LinksFeature titleOf={titleOfView} />
    </>
  );
}

export function App({ workbench, notices }: AppProps) {
  return (
    <WorkbenchProvider value={workbench}>
      <LucideProvider size={16} strokeWidth={1.5}>
        <TooltipProvider>
          <Gate beside={<Notices notices={notices} isFloating />}>
            <OpenWorkbench notices={notices} />
          </Gate>
        </TooltipProvider>
      </LucideProvider>
    </WorkbenchProvider>
  );
}
