/** One secret by its name: whether it is set and where from, never what it is. */
import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import type { SecretStatus } from '../../../shared/contract/settings-contract.ts';
import { natsJwtName, natsSeedName } from '../../../shared/settings/secret-shape.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useWorkbench } from '../../workbench.tsx';

const sourceWords = {
  file: 'from the file that the environment names',
  environment: 'from the environment',
  'key store': 'in the key store',
} as const;

function SecretState({ isSet, source }: SecretStatus) {
  return (
    <p className={isSet ? 'secret-state' : 'secret-state dim'}>
      {isSet ? <Check className="secret-ok" aria-hidden="true" /> : <Minus aria-hidden="true" />}
      {isSet ? `set, ${source === null ? 'source unknown' : sourceWords[source]}` : 'not set'}
    </p>
  );
}

/** Why it cannot be deleted here. */
function keepReason({ isSet, source }: SecretStatus): string | undefined {
  if (!isSet) return 'nothing is set';
  return source === 'key store' ? undefined : 'it is not in the key store; remove it where it comes from';
}

function useDeleteGuard({ name }: SecretStatus, onConfirm: () => void) {
  const environment = useEnvironment();
  const [isAsked, setIsAsked] = useState(false);
  const guarded: Guarded | undefined =
    isAsked && environment !== undefined
      ? {
          ...{ verb: 'Delete', count: 1, noun: 'secret', object: name, environment: environment.name },
          environmentColour: environment.colour,
          consequence:
            'It leaves the key store at once and cannot be brought back; a bus that needs it is rebuilt without.',
        }
      : undefined;
  const cancel = (): void => setIsAsked(false);
  const confirm = (): void => {
    cancel();
    onConfirm();
  };
  return { guarded, cancel, confirm, ask: () => setIsAsked(true) };
}

export function SecretRow({ secret }: { readonly secret: SecretStatus }) {
  const { client, notify } = useWorkbench();
  const { name, isSet, source } = secret;
  const { isBusy, report, run } = useAttempt();
  const set = async (): Promise<void> => {
    const isDone = await run(`Set ${name}`, () => client.settings.setSecret({ name }));
    if (isDone) notify(`${name} is in the key store.`);
  };
  const guard = useDeleteGuard(secret, () => {
    void run(`Delete ${name}`, () => client.settings.deleteSecret({ name }));
  });
  // Those are added, kept and revoked by id.
  const isListedBelow = name !== natsJwtName && name !== natsSeedName;
  const isOverruled = isSet && source !== 'key store';
  const help = isOverruled ? `${secret.help}; what the environment gives goes before the key store` : secret.help;
  return (
    <div className="secret" data-setting={name} data-testid={`secret-${name}`} data-set={isSet}>
      <div className="setting-words">
        <p className="setting-label data">{name}</p>
        <p className="setting-help">{help}</p>
      </div>
      <SecretState {...secret} />
      <div className="secret-actions">
        {isListedBelow && <p className="dim">listed by id in Workspace secrets</p>}
        {!isListedBelow && (
          <>
            <Button
              aria-label={`Set ${name}…`}
              data-testid={`secret-set-${name}`}
              disabledReason={isBusy ? 'it is being asked for' : undefined}
              onClick={() => void set()}
            >
              Set…
            </Button>
            <Button
              variant="danger"
              aria-label={`Delete ${name}…`}
              data-testid={`secret-delete-${name}`}
              disabledReason={isBusy ? 'it is being asked for' : keepReason(secret)}
              onClick={guard.ask}
            >
              Delete…
            </Button>
          </>
        )}
      </div>
      {report !== undefined && (
        <div className="secret-report">
          <ErrorNotice report={report} />
        </div>
      )}
      <GuardDialog guarded={guard.guarded} onCancel={guard.cancel} onConfirm={guard.confirm} />
    </div>
  );
}
