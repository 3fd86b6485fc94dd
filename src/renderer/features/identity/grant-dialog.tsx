/** "Grant roles": to whom, which, for which queues, until when; signed as the workspace's root. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import { roles as allRoles, type Role } from '../../../shared/protocol/roles.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { type Attempt, useAttempt } from '../../ui/use-attempt.ts';
import { useNow } from '../../ui/use-now.ts';
import { useSnapshot } from '../../workbench.tsx';
import { ExpiryText } from './expiry-text.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { type GrantErrors, type GrantFields, grantEnds, readGrantForm } from './grant-form.ts';
import { peerWords } from './peer-words.ts';
import { roleWords } from './role-words.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

const noPeers: readonly PeerSummary[] = [];

interface PartProps {
  readonly fields: GrantFields;
  readonly errors: GrantErrors;
  readonly set: (change: Partial<GrantFields>) => void;
}

function PeerField({
  fields,
  errors,
  set,
  peers,
  isFixed,
}: PartProps & { readonly peers: readonly PeerSummary[]; readonly isFixed: boolean }) {
  const work = useAccessWork();
  const list = useId();
  const known = peers.find(({ peer }) => peer === fields.peer.trim());
  return (
    <div className="grant-peer-field" data-fixed={isFixed}>
      <Field
        isData
        label="Peer"
        hint={isFixed ? 'Its grant is superseded by this one.' : 'One whose card was seen here.'}
        list={list}
        value={fields.peer}
        readOnly={isFixed}
        error={errors.peer}
        autoFocus={!isFixed}
        maxLength={64}
        data-testid="grant-peer"
        onChange={(event) => set({ peer: event.target.value })}
      />
      <datalist id={list}>
        {peers.map(({ peer, state }) => (
          <option key={peer} value={peer} label={peerWords[state].word} />
        ))}
      </datalist>
      {!isFixed && (
        <Button variant="quiet" onClick={work.askCard}>
          Add a card…
        </Button>
      )}
      {known !== undefined && (
        <p className="grant-key" data-testid="grant-key">
          <Fingerprint name={`signing key of ${known.peer}`} value={known.sign} />
          <span className="dim">{peerWords[known.state].meaning}.</span>
        </p>
      )}
    </div>
  );
}

function Roles({ fields, errors, set }: PartProps) {
  const id = useId();
  const toggle = (role: Role, isOn: boolean): void =>
    set({ roles: allRoles.filter((one) => (one === role ? isOn : fields.roles.includes(one))) });
  return (
    <fieldset className="grant-roles-field" aria-describedby={errors.roles === undefined ? undefined : `${id}-note`}>
      <legend className="field-label">Roles</legend>
      {allRoles.map((role) => (
        <label key={role} className="grant-role">
          <input
            type="checkbox"
            checked={fields.roles.includes(role)}
            data-testid={`grant-role-${role}`}
            onChange={(event) => toggle(role, event.target.checked)}
          />
          <span className="data">{role}</span>
          <span className="dim">{roleWords[role]}</span>
        </label>
      ))}
      {errors.roles !== undefined && (
        <p id={`${id}-note`} className="field-note field-note-bad">
          {errors.roles}
        </p>
      )}
    </fieldset>
  );
}

function End({ fields, errors, set, nowMs }: PartProps & { readonly nowMs: number }) {
  const seconds = grantEnds.find(({ id }) => id === fields.end)?.seconds;
  return (
    <div className="grant-end">
      <span className="field-label">Until</span>
      <div className="grant-end-choice">
        <ChoiceSwitch
          label="Until"
          testId="grant-end"
          chosen={fields.end}
          onChoose={(end) => set({ end })}
          choices={grantEnds}
        />
        {seconds !== undefined && seconds > 0 && <ExpiryText endsAtMs={nowMs + seconds * 1000} nowMs={nowMs} />}
        {seconds === 0 && <span className="dim">until it is revoked</span>}
      </div>
      {fields.end === 'at' && (
        <Field
          isData
          label="End"
          hint="2027-01-31 or 2027-01-31T12:00Z; UTC unless it says otherwise."
          value={fields.until}
          error={errors.until}
          autoFocus
          data-testid="grant-until"
          onChange={(event) => set({ until: event.target.value })}
        />
      )}
    </div>
  );
}

/** What the engine refuses of a field stands at that field. */
function fieldOf(error: unknown): GrantErrors | undefined {
  if (!isVakError(error, 'invalid-input')) return undefined;
  const field = {
    queues: 'queues',
    queue: 'queues',
    notAfter: 'until',
    sign: 'peer',
    peer: 'peer',
    roles: 'roles',
  } as const;
  const at = field[error.details?.['field'] as keyof typeof field];
  return at === undefined ? undefined : { [at]: error.message };
}

interface FormProps {
  readonly first: GrantFields;
  readonly isRenewal: boolean;
}

function useGrantForm({ first }: Pick<FormProps, 'first'>, peers: readonly PeerSummary[], attempt: Attempt) {
  const work = useAccessWork();
  const [fields, setFields] = useState(first);
  const [errors, setErrors] = useState<GrantErrors>({});
  const [refusedCount, setRefusedCount] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusedCount > 0)
      form.current?.querySelector<HTMLElement>('input[aria-invalid="true"], fieldset[aria-describedby] input')?.focus();
  }, [refusedCount]);
  const refuse = (wrong: GrantErrors): void => {
    setErrors(wrong);
    setRefusedCount((count) => count + 1);
  };
  const set = (change: Partial<GrantFields>): void => {
    setFields({ ...fields, ...change });
    setErrors({ ...errors, ...Object.fromEntries(Object.keys(change).map((name) => [name, undefined])) });
    attempt.clear();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const read = readGrantForm(fields, peers, Date.now());
    if (read.kind === 'wrong') {
      refuse(read.errors);
      return;
    }
    void attempt.run('Grant', async () => {
      try {
        await work.grant(read.input);
      } catch (error) {
        const wrong = fieldOf(error);
        if (wrong === undefined) throw error;
        refuse(wrong);
      }
    });
  };
  return { fields, errors, set, submit, form };
}

function GrantForm({ first, isRenewal }: FormProps) {
  const work = useAccessWork();
  const peers = useSnapshot('access.peers')?.peers ?? noPeers;
  const nowMs = useNow();
  const attempt = useAttempt();
  const { fields, errors, set, submit, form } = useGrantForm({ first }, peers, attempt);
  const part = { fields, errors, set };
  return (
    <form ref={form} className="dialog-body" noValidate onSubmit={submit}>
      <PeerField {...part} peers={peers} isFixed={isRenewal} />
      <Roles {...part} />
      {fields.roles.includes('worker') && (
        <Field
          isData
          label="Queues of the worker"
          hint="Several with commas or spaces between."
          value={fields.queues}
          error={errors.queues}
          data-testid="grant-queues"
          onChange={(event) => set({ queues: event.target.value })}
        />
      )}
      <End {...part} nowMs={nowMs} />
      {attempt.report !== undefined && <ErrorNotice report={attempt.report} />}
      <DialogActions>
        <Button onClick={work.close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          data-testid="grant-save"
          disabledReason={attempt.isBusy ? 'it is being signed' : undefined}
        >
          {isRenewal ? 'Grant anew' : 'Grant'}
        </Button>
      </DialogActions>
    </form>
  );
}

export function GrantDialog() {
  const work = useAccessWork();
  const granting = useAccessWorkState((state) => state.granting);
  const environment = useEnvironment();
  if (granting === undefined) return null;
  const { fields, isRenewal } = granting;
  return (
    <Dialog
      isOpen
      kind="wide"
      title={isRenewal ? `Renew or change the grant of ${fields.peer}` : 'Grant roles to a peer'}
      description={`Signed as the root of the workspace, and put on record. It holds everywhere in the workspace, ${environment?.name ?? 'here'} among it.`}
      tint={environment?.colour}
      onClose={work.close}
    >
      <GrantForm first={fields} isRenewal={isRenewal} />
    </Dialog>
  );
}
