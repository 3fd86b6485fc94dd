/** First start: who this peer is, what is made for it, where the key is kept; one screen, one button. */
import { Fingerprint, KeyRound, LockKeyhole, type LucideIcon, Network } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { whereKept } from '../../ui/keychain-words.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { GateFrame, GateTitle } from './gate-frame.tsx';
import { IdentityFields } from './identity-fields.tsx';
import { type IdentityErrors, readIdentityForm, suggestedIdentity } from './identity-form.ts';

interface Made {
  readonly icon: LucideIcon;
  readonly what: string;
  readonly use: string;
}

function madeFor(workspace: string): readonly Made[] {
  return [
    { icon: Fingerprint, what: 'An identity key', use: 'signs what you publish, so that others know it is from you' },
    {
      icon: Network,
      what: `The root key of workspace ${workspace}`,
      use: 'decides who may do what there; whoever holds it grants access',
    },
    { icon: LockKeyhole, what: 'A workspace secret', use: 'seals the workspace’s messages and opens them' },
  ];
}

function MadeList() {
  const workspace = useSnapshot('app.status')?.workspace ?? 'default';
  return (
    <ul className="gate-made" aria-label="What will be made">
      {madeFor(workspace).map(({ icon: Icon, what, use }) => (
        <li key={what}>
          <Icon aria-hidden="true" />
          <p>
            {what} <span className="dim">{use}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}

function Kept({ keyStore }: { readonly keyStore: KeyStoreState }) {
  const words =
    keyStore.kind === 'unlocked'
      ? 'It goes into this profile’s key store, which is open already and holds no identity yet.'
      : `All of it lies encrypted in one file of your profile. The key to that file is kept ${whereKept(keyStore)}` +
        (keyStore.keychain.isReal ? '.' : '; you choose it in a window of its own.');
  return (
    <p className="gate-kept" data-testid="gate-kept">
      {words}
    </p>
  );
}

function buttonLabel(isBusy: boolean, { kind, keychain }: KeyStoreState): string {
  if (!isBusy) return 'Create';
  return kind === 'unlocked' || keychain.isReal ? 'Creating…' : 'Waiting for the passphrase window…';
}

function FirstStartForm({ keyStore }: { readonly keyStore: KeyStoreState }) {
  const { client } = useWorkbench();
  const { isBusy, report, run } = useAttempt();
  const [fields, setFields] = useState(suggestedIdentity);
  const [errors, setErrors] = useState<IdentityErrors>({});
  const peer = useRef<HTMLInputElement>(null);
  useEffect(() => peer.current?.select(), []);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const form = readIdentityForm(fields);
    setErrors(form.kind === 'wrong' ? form.errors : {});
    if (form.kind === 'ready') void run('Create the key store', () => client.identity.setUp(form.identity));
  };
  return (
    <form className="gate-form" noValidate onSubmit={onSubmit}>
      <IdentityFields peerRef={peer} fields={fields} errors={errors} isReadOnly={isBusy} onChange={setFields} />
      <MadeList />
      <Kept keyStore={keyStore} />
      {report !== undefined && <ErrorNotice report={report} />}
      <div className="gate-actions">
        <Button
          type="submit"
          variant="primary"
          data-testid="gate-create"
          disabledReason={isBusy ? 'it is being made' : undefined}
        >
          {buttonLabel(isBusy, keyStore)}
        </Button>
        <RestoreInstead
          isBusy={isBusy}
          onRestore={() => void run('Restore a backup', () => client.identity.restore({}))}
        />
      </div>
    </form>
  );
}

function RestoreInstead({ isBusy, onRestore }: { readonly isBusy: boolean; readonly onRestore: () => void }) {
  return (
    <Button
      variant="quiet"
      data-testid="gate-restore"
      disabledReason={isBusy ? 'something else is under way' : undefined}
      onClick={onRestore}
    >
      Restore a backup instead…
    </Button>
  );
}

export function FirstStart({ keyStore }: { readonly keyStore: KeyStoreState }) {
  return (
    <GateFrame name="First start" testId="gate-first-start">
      <GateTitle icon={<KeyRound size={24} aria-hidden="true" />} title="Make this peer’s keys">
        <p>
          Everything on the bus is signed and sealed, so this profile needs keys of its own. They are made here, and no
          secret of them is ever shown or stored in the clear.
        </p>
      </GateTitle>
      <FirstStartForm keyStore={keyStore} />
    </GateFrame>
  );
}
