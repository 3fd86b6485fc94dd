/** Identity & access: this peer and its key store, who was granted what, whose keys are known, and what the policy says. */
import type { PeersState } from '../../../shared/contract/access-contract.ts';
import type { KeyStoreState, SelfSummary } from '../../../shared/contract/identity-contract.ts';
import type { IdentityTab } from '../../state/view-store.ts';
import { formatCount } from '../../ui/format.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { Reading } from '../../ui/view-states.tsx';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { identityTabs } from './access-actions.ts';
import { GrantsTab } from './grants-tab.tsx';
import { KeyStorePanel } from './key-store-panel.tsx';
import { PeersTab } from './peers-tab.tsx';
import { SecretsPanel } from './secrets-panel.tsx';
import { SelfPanel } from './self-panel.tsx';
import { WhatIfTab } from './what-if-tab.tsx';
import './identity-view.css';
import './identity-lists.css';
import './identity-dialogs.css';
import './what-if.css';

const title = 'Identity & access';
const noPeers: PeersState = { peers: [], leftOutCount: 0 };

interface ContentProps {
  readonly self: SelfSummary;
  readonly keyStore: KeyStoreState;
  readonly peers: PeersState;
}

function Content({ tab, self, keyStore, peers }: ContentProps & { readonly tab: IdentityTab }) {
  const nowMs = Math.floor(useNow() / 1000) * 1000;
  switch (tab) {
    case 'self':
      return (
        <div className="identity">
          <div className="identity-pair">
            <SelfPanel self={self} nowMs={nowMs} />
            <div className="identity-column">
              <KeyStorePanel keyStore={keyStore} backup={self.backup} />
              <SecretsPanel secrets={self.secrets} />
            </div>
          </div>
        </div>
      );
    case 'grants':
      return <GrantsTab self={self} peers={peers.peers} nowMs={nowMs} />;
    case 'peers':
      return <PeersTab state={peers} self={self} nowMs={nowMs} />;
    case 'what-if':
      return <WhatIfTab self={self} nowMs={nowMs} />;
  }
}

export function IdentityView() {
  const { view } = useWorkbench();
  const tab = useViewState((state) => state.identityTab);
  const self = useSnapshot('identity.self');
  const keyStore = useSnapshot('identity.keyStore');
  const peers = useSnapshot('access.peers') ?? noPeers;
  if (self === undefined || self === null || keyStore === undefined) {
    return (
      <ViewFrame title={title}>
        <Reading words="Reading the key store…" />
      </ViewFrame>
    );
  }
  const counts: Partial<Record<IdentityTab, number>> = {
    grants: self.workspaceGrants.length,
    peers: peers.peers.length,
  };
  const tabs = identityTabs.map(({ id, title: name }) => {
    const count = counts[id];
    return { id, title: count === undefined ? name : `${name} ${formatCount(count)}` };
  });
  return (
    <ViewFrame title={title} summary={`${self.peer} in workspace ${self.workspace}`}>
      <div className="identity-tabs">
        <Tabs label={title} tabs={tabs} selected={tab} onSelect={(identityTab) => view.setState({ identityTab })}>
          <Content {...{ tab, self, keyStore, peers }} />
        </Tabs>
      </div>
    </ViewFrame>
  );
}
