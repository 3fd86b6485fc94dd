/** Identity & access: this peer's card and key store, the grants and secrets of its workspace. */
import { Panel } from '../../ui/panel.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ViewFrame } from '../../ui/view-frame.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { GrantsPanel } from './grants-panel.tsx';
import { KeyStorePanel } from './key-store-panel.tsx';
import { SecretsPanel } from './secrets-panel.tsx';
import { SelfPanel } from './self-panel.tsx';
import './identity-view.css';

const title = 'Identity & access';

function Later() {
  return (
    <Panel title="Not built yet">
      <p className="panel-note">
        Peers whose keys you have pinned, a tester for access rules (“may worker w1 publish to …?”) and the export of
        the same permissions for NATS join this page with the parts that they need.
      </p>
    </Panel>
  );
}

export function IdentityView() {
  const self = useSnapshot('identity.self');
  const keyStore = useSnapshot('identity.keyStore');
  const nowMs = useNow();
  if (self === undefined || self === null || keyStore === undefined) {
    return (
      <ViewFrame title={title}>
        <p className="identity-late late dim">Reading the key store…</p>
      </ViewFrame>
    );
  }
  return (
    <ViewFrame title={title} summary={`${self.peer} in workspace ${self.workspace}`}>
      <div className="identity">
        <div className="identity-pair">
          <SelfPanel self={self} nowMs={nowMs} />
          <div className="identity-column">
            <KeyStorePanel keyStore={keyStore} />
            <SecretsPanel secrets={self.secrets} />
          </div>
        </div>
        <GrantsPanel self={self} nowMs={nowMs} />
        <Later />
      </div>
    </ViewFrame>
  );
}
