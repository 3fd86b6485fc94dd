/** The key store cannot be opened as it was: why, and the ways out. Nothing here happens by itself. */
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useWorkbench } from '../../workbench.tsx';
import { closedDetails } from './closed-details.ts';
import { GateFrame, GateTitle } from './gate-frame.tsx';
import { StartAnewDialog } from './start-anew-dialog.tsx';

export interface RecoveryScreenProps {
  readonly keyStore: KeyStoreState;
  readonly kind: 'recovery' | 'corrupt';
}

interface WayProps extends Pick<ButtonProps, 'variant' | 'disabledReason' | 'onClick'> {
  readonly title: string;
  /** What happens then. */
  readonly words: ReactNode;
  readonly action: string;
  readonly testId: string;
}

function Way({ title, words, action, testId, ...button }: WayProps) {
  return (
    <li className="gate-way">
      <div>
        <h2>{title}</h2>
        <p className="dim">{words}</p>
      </div>
      <Button {...button} data-testid={testId}>
        {action}
      </Button>
    </li>
  );
}

const faces = {
  recovery: {
    name: 'Recovery',
    title: 'The keychain does not open the key store',
    words: 'Nothing was changed and nothing is lost: the file is whole, and its keys are where they were.',
  },
  corrupt: {
    name: 'Damaged',
    title: 'The key store cannot be read',
    words: 'Neither the file nor its last good copy is whole. Nothing was overwritten.',
  },
} as const;

/** The way that opens what is there, if there is one. */
function openingWay({
  slots,
  keychain,
}: KeyStoreState): Pick<WayProps, 'title' | 'words' | 'action' | 'testId'> | undefined {
  if (slots.includes('passphrase')) {
    return {
      title: 'Use the passphrase',
      words: 'It opens the same keys; the keychain of now is then used again where it is a real one.',
      action: 'Unlock…',
      testId: 'gate-passphrase',
    };
  }
  if (slots.includes('keychain') && keychain.isReal) {
    return {
      title: 'Ask the keychain again',
      words: 'If it refused only now, or the one that made this store is back. The store has no passphrase.',
      action: 'Try again',
      testId: 'gate-try-again',
    };
  }
  return undefined;
}

export function RecoveryScreen({ keyStore, kind }: RecoveryScreenProps) {
  const { client } = useWorkbench();
  const { isBusy, report, run } = useAttempt();
  const [isAnewOpen, setIsAnewOpen] = useState(false);
  const { name, title, words } = faces[kind];
  const disabledReason = isBusy ? 'another way is being tried' : undefined;
  const opening = kind === 'recovery' ? openingWay(keyStore) : undefined;
  return (
    <GateFrame name={name} testId={`gate-${kind}`}>
      <GateTitle icon={<TriangleAlert className="gate-wait" size={24} aria-hidden="true" />} title={title}>
        <p className="gate-reason" data-testid="gate-reason">
          {keyStore.reason ?? 'No reason was given.'}
        </p>
        <p>{words}</p>
      </GateTitle>
      <ul className="gate-ways" aria-label="Ways out">
        {opening !== undefined && (
          <Way
            {...opening}
            variant="primary"
            disabledReason={disabledReason}
            onClick={() => void run('Unlock the key store', () => client.identity.unlock({}))}
          />
        )}
        <Way
          title="Restore a backup"
          words="Asks for the file and its passphrase. What lies here now is set aside, not deleted."
          action="Restore…"
          testId="gate-restore"
          disabledReason={disabledReason}
          onClick={() => void run('Restore a backup', () => client.identity.restore({}))}
        />
        <Way
          title="Start anew"
          words="New keys and a new workspace. What was sealed for the old ones stays closed."
          action="Start anew…"
          testId="gate-start-anew"
          disabledReason={disabledReason}
          onClick={() => setIsAnewOpen(true)}
        />
      </ul>
      {report !== undefined && <ErrorNotice report={report} />}
      <div className="gate-actions">
        <CopyButton text={closedDetails(keyStore)}>Copy details</CopyButton>
      </div>
      <StartAnewDialog keyStore={keyStore} isOpen={isAnewOpen} onClose={() => setIsAnewOpen(false)} />
    </GateFrame>
  );
}
