/** The workspace's secrets by id: what each does now, which one seals, and how they come and go. Their bytes never come here. */
import { Ban, Check, Clock, type LucideIcon, Plus, Stamp } from 'lucide-react';
import { useState } from 'react';
import type { SealingKey, SettingsState, WorkspaceSecretStatus } from '../../../shared/contract/settings-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { AddSecretDialog } from './add-secret-dialog.tsx';
import { OpenOnlyDialog } from './open-only-dialog.tsx';
import { SettingsSection } from './settings-section.tsx';
import {
  revokeConsequence,
  type SecretReach,
  type SecretStanding,
  sealingKeyWords,
  standingOfSecret,
  standingWords,
  whyNotActive,
  whyNotOpenOnly,
  whyNotRevoke,
} from './workspace-secret-words.ts';
import './workspace-secrets.css';

type Secrets = SettingsState['workspaceSecrets'];

const faces: Readonly<Record<SecretStanding, { readonly icon: LucideIcon; readonly tone: string }>> = {
  active: { icon: Check, tone: 'secret-ok' },
  'open-only': { icon: Clock, tone: 'secret-wait' },
  ended: { icon: Ban, tone: 'secret-bad' },
  revoked: { icon: Ban, tone: 'secret-bad' },
};

interface Reached extends SecretReach {
  readonly secret: WorkspaceSecretStatus;
}

/** Asks before a secret is revoked, with what will not open any more. */
function useRevoking(secrets: Secrets) {
  const { client, notify } = useWorkbench();
  const environment = useEnvironment();
  const [reached, setReached] = useState<Reached | undefined>();
  const attempt = useAttempt();
  const ask = async (secret: WorkspaceSecretStatus): Promise<void> => {
    await attempt.run(`Revoke ${secret.id}`, async () => {
      setReached({ secret, ...(await client.settings.secretReach({ id: secret.id })) });
    });
  };
  const guarded: Guarded | undefined =
    reached === undefined || environment === undefined
      ? undefined
      : {
          ...{ verb: 'Revoke', count: 1, noun: 'workspace secret', object: reached.secret.id },
          ...{ environment: environment.name, environmentColour: environment.colour },
          consequence: revokeConsequence(secrets, reached.secret, reached),
        };
  const confirm = async (confirmedId: string): Promise<void> => {
    if (reached === undefined) return;
    const { id } = reached.secret;
    setReached(undefined);
    const isDone = await attempt.run(`Revoke ${id}`, () => client.settings.revokeSecret({ id, confirmedId }));
    if (isDone) notify(`${id} is revoked: what it sealed does not open any more.`);
  };
  return { ask, guarded, confirm, cancel: () => setReached(undefined), attempt };
}

interface RowProps {
  readonly secret: WorkspaceSecretStatus;
  readonly nowMs: number;
  readonly isBusy: boolean;
  readonly onOpenOnly: () => void;
  readonly onActive: () => void;
  readonly onRevoke: () => void;
}

function SecretButtons({ secret, isBusy, onOpenOnly, onActive, onRevoke }: Omit<RowProps, 'nowMs'>) {
  const { id, state } = secret;
  const busy = isBusy ? 'something is under way' : undefined;
  return (
    <div className="workspace-secret-actions">
      {state === 'open-only' ? (
        <Button
          aria-label={`Let ${id} seal again`}
          data-testid={`workspace-secret-activate-${id}`}
          disabledReason={busy ?? whyNotActive(secret)}
          onClick={onActive}
        >
          Seal again
        </Button>
      ) : (
        <Button
          aria-label={`Let ${id} only open…`}
          data-testid={`workspace-secret-open-only-${id}`}
          disabledReason={busy ?? whyNotOpenOnly(secret)}
          onClick={onOpenOnly}
        >
          Open only…
        </Button>
      )}
      <Button
        variant="danger"
        aria-label={`Revoke ${id}…`}
        data-testid={`workspace-secret-revoke-${id}`}
        disabledReason={busy ?? whyNotRevoke(secret)}
        onClick={onRevoke}
      >
        Revoke…
      </Button>
    </div>
  );
}

function SecretLine({ nowMs, ...props }: RowProps) {
  const { secret } = props;
  const zone = useViewState((state) => state.timeZone);
  const { id, isSealing } = secret;
  const standing = standingOfSecret(secret, nowMs);
  const { icon, tone } = faces[standing];
  const Icon = isSealing ? Stamp : icon;
  return (
    <li
      className="workspace-secret"
      data-testid={`workspace-secret-${id}`}
      data-state={standing}
      data-sealing={isSealing}
    >
      <span className="workspace-secret-id data">{id}</span>
      <span className="workspace-secret-state">
        <Icon className={tone} size={14} aria-hidden="true" />
        <span>{standingWords(secret, nowMs, zone)}</span>
      </span>
      <SecretButtons {...props} />
    </li>
  );
}

function SealingKeyNote({ sealingKey: key }: { readonly sealingKey: SealingKey | null }) {
  if (key === null) return null;
  return (
    <p className="workspace-secrets-key dim" data-testid="sealing-key">
      Under <span className="data">{key.secretId}</span> {sealingKeyWords(key)}.
    </p>
  );
}

/** What is said where none can seal. */
function NoneSeals({ secrets }: { readonly secrets: Secrets }) {
  if (secrets.some(({ isSealing }) => isSealing)) return null;
  return (
    <p className="setting-bad" data-testid="no-sealing-secret">
      No secret seals: what must be sealed cannot be sent. Add one.
    </p>
  );
}

export interface WorkspaceSecretsProps {
  readonly secrets: Secrets;
  readonly sealingKey: SealingKey | null;
}

export function WorkspaceSecrets({ secrets, sealingKey }: WorkspaceSecretsProps) {
  const { client, notify } = useWorkbench();
  const nowMs = useNow();
  const [isAdding, setIsAdding] = useState(false);
  const [limited, setLimited] = useState<WorkspaceSecretStatus | undefined>();
  const revoking = useRevoking(secrets);
  const { isBusy, report, run } = revoking.attempt;
  const activate = async (id: string): Promise<void> => {
    const use = { id, use: 'active', untilMs: null } as const;
    if (await run(`Let ${id} seal again`, () => client.settings.setSecretUse(use))) notify(`${id} is active again.`);
  };
  const setOpenOnly = async (id: string, untilMs: number | null): Promise<void> => {
    setLimited(undefined);
    const use = { id, use: 'open-only', untilMs } as const;
    if (!(await run(`Let ${id} only open`, () => client.settings.setSecretUse(use)))) return;
    const sealAgain = (): void => void activate(id);
    notify(`${id} only opens from now on.`, { label: 'Seal again', run: sealAgain, whyNot: null });
  };
  const actions = (
    <Button icon={Plus} data-testid="workspace-secret-add" onClick={() => setIsAdding(true)}>
      Add a secret…
    </Button>
  );
  return (
    <SettingsSection title="Workspace secrets" name="workspaceSecrets" actions={actions}>
      <p className="dim">
        Messages are sealed under the newest active one; an id stands for one secret for ever. They are written, and
        never shown. Peers that this profile runs take up a change at once.
      </p>
      <NoneSeals secrets={secrets} />
      <ul className="workspace-secrets" data-testid="workspace-secrets">
        {secrets.toReversed().map((secret) => (
          <SecretLine
            key={secret.id}
            {...{ secret, nowMs, isBusy }}
            onOpenOnly={() => setLimited(secret)}
            onActive={() => void activate(secret.id)}
            onRevoke={() => void revoking.ask(secret)}
          />
        ))}
      </ul>
      <SealingKeyNote sealingKey={sealingKey} />
      {report !== undefined && <ErrorNotice report={report} />}
      <AddSecretDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
      <OpenOnlyDialog
        secrets={secrets}
        secret={limited}
        onClose={() => setLimited(undefined)}
        onConfirm={(id, untilMs) => void setOpenOnly(id, untilMs)}
      />
      <GuardDialog
        guarded={revoking.guarded}
        onCancel={revoking.cancel}
        onConfirm={({ typed }) => void revoking.confirm(typed)}
      />
    </SettingsSection>
  );
}
