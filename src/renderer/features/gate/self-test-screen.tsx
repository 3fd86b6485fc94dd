/** The crypto self-test failed: nothing is opened, and there is nothing to press but "Copy details". */
import { ShieldAlert } from 'lucide-react';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { closedDetails } from './closed-details.ts';
import { GateFrame, GateTitle } from './gate-frame.tsx';

export function SelfTestScreen({ keyStore }: { readonly keyStore: KeyStoreState }) {
  const app = useSnapshot('app.status');
  const runtime =
    app === undefined
      ? ''
      : `\nruntime: Electron ${app.electron}, Node ${app.node}, ${app.platform}, app ${app.version}`;
  return (
    <GateFrame name="Self-test failed" testId="gate-self-test">
      <GateTitle
        icon={<ShieldAlert className="gate-bad" size={24} aria-hidden="true" />}
        title="The check of this machine’s cryptography failed"
      >
        <p className="gate-reason" data-testid="gate-reason">
          {keyStore.reason ?? 'No reason was given.'}
        </p>
        <p>
          The app checks known answers at each start. While one of them is wrong, nothing is signed, sealed or opened,
          and the key store was not touched.
        </p>
        <p>
          Start the app again. If it stays so, install the app anew, or open a backup of this profile on another
          machine.
        </p>
      </GateTitle>
      <div className="gate-actions">
        <CopyButton text={closedDetails(keyStore) + runtime}>Copy details</CopyButton>
      </div>
    </GateFrame>
  );
}
