/** "May it?": the access policy answers as one types, with the rule that decides and all else that the role reaches (A5). */
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react';
import { useId } from 'react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { roles as allRoles, type Role } from '../../../shared/protocol/roles.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { Field } from '../../ui/field.tsx';
import { useSnapshot } from '../../workbench.tsx';
import { ReachTable } from './reach-table.tsx';
import { roleWords } from './role-words.ts';
import { SubjectFaultLine } from './subject-fault-line.tsx';
import { useQuestion } from './use-question.ts';
import { askPolicy, ruleWords, type WhatIf, type WhatIfFields } from './what-if.ts';

interface PartProps {
  readonly fields: WhatIfFields;
  readonly what: WhatIf;
  readonly set: (change: Partial<WhatIfFields>) => void;
}

function RoleChoice({ fields, what, set }: PartProps) {
  const id = useId();
  const error = what.errors.roles;
  const toggle = (role: Role, isOn: boolean): void =>
    set({ roles: allRoles.filter((one) => (one === role ? isOn : fields.roles.includes(one))) });
  return (
    <fieldset className="what-if-roles" aria-describedby={error === undefined ? undefined : `${id}-note`}>
      <legend className="field-label">Roles</legend>
      {allRoles.map((role) => (
        <label key={role} className="what-if-role" title={roleWords[role]}>
          <input
            type="checkbox"
            checked={fields.roles.includes(role)}
            data-testid={`what-if-role-${role}`}
            onChange={(event) => toggle(role, event.target.checked)}
          />
          <span className="data">{role}</span>
        </label>
      ))}
      {error !== undefined && (
        <p id={`${id}-note`} className="field-note field-note-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface NameFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly known: readonly string[];
  readonly testId: string;
  readonly onChange: (value: string) => void;
}

function NameField({ label, hint, error, value, known, testId, onChange }: NameFieldProps) {
  const list = useId();
  return (
    <>
      <Field
        isData
        {...{ label, hint, error, value, list }}
        maxLength={512}
        data-testid={testId}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** Whose names are its own. */
function Names({ fields, what, set, self }: PartProps & { readonly self: SelfSummary }) {
  const sessions = useSnapshot('sessions.list')?.sessions ?? [];
  const peers = self.workspaceGrants.map(({ peer }) => peer);
  const queues = [...new Set(self.workspaceGrants.flatMap((grant) => grant.queues))];
  const ofPeer = sessions
    .filter(({ peer }) => fields.peer === '' || peer === fields.peer)
    .map(({ session }) => session);
  const isPeer = fields.who === 'peer';
  return (
    <>
      <NameField
        label={isPeer ? 'Peer' : 'Peer (optional)'}
        hint={
          isPeer ? 'Its roles and queues are those of its grant.' : 'Whose inbox, dead letters and audit are its own.'
        }
        error={what.errors.peer}
        value={fields.peer}
        known={peers}
        testId="what-if-peer"
        onChange={(peer) => set({ peer })}
      />
      <NameField
        label="Session (optional)"
        hint="Which session is its own, for events and receipts."
        error={what.errors.session}
        value={fields.session}
        known={ofPeer.slice(0, 200)}
        testId="what-if-session"
        onChange={(session) => set({ session })}
      />
      {!isPeer && (
        <NameField
          label="Queues (optional)"
          hint="Of a worker; several with commas between."
          error={what.errors.queues}
          value={fields.queues}
          known={queues}
          testId="what-if-queues"
          onChange={(text) => set({ queues: text })}
        />
      )}
    </>
  );
}

function Who({ fields, what, set, self }: PartProps & { readonly self: SelfSummary }) {
  const isPeer = fields.who === 'peer';
  return (
    <>
      <ChoiceSwitch
        label="Who asks"
        testId="what-if-who"
        chosen={fields.who}
        onChoose={(who) => set({ who })}
        choices={[
          { id: 'roles', title: 'Roles' },
          { id: 'peer', title: 'A granted peer' },
        ]}
      />
      {!isPeer && <RoleChoice {...{ fields, what, set }} />}
      <Names {...{ fields, what, set, self }} />
    </>
  );
}

function Answer({ what }: Pick<PartProps, 'what'>) {
  const { answer, note, fault } = what;
  if (answer === undefined) {
    return (
      <p className="what-if-answer dim" role="status" data-testid="what-if-answer" data-answer="none">
        <CircleHelp size={16} aria-hidden="true" />
        {fault === undefined ? 'Type a subject: the answer comes as you type.' : 'This is no subject yet.'}
      </p>
    );
  }
  const Icon = answer.allowed ? CircleCheck : CircleX;
  return (
    <p
      className={`what-if-answer ${answer.allowed ? 'identity-ok' : 'identity-bad'}`}
      role="status"
      data-testid="what-if-answer"
      data-answer={answer.allowed ? 'allowed' : 'denied'}
    >
      <Icon size={16} aria-hidden="true" />
      <strong>{answer.allowed ? 'Allowed' : 'Denied'}</strong>{' '}
      <span className="what-if-rule">
        by <span className="data">{ruleWords(answer.rule)}</span>
        {note !== undefined && <> · {note}</>}
      </span>
    </p>
  );
}

/** What is asked, and the line that says what is wrong with it. */
function Ask({ fields, what, set, noteId }: PartProps & { readonly noteId: string }) {
  const isPublish = fields.action === 'publish';
  return (
    <div className="what-if-ask">
      <ChoiceSwitch
        label="May it"
        testId="what-if-action"
        chosen={fields.action}
        onChoose={(action) => set({ action })}
        choices={[
          { id: 'publish', title: 'Publish' },
          { id: 'subscribe', title: 'Subscribe' },
        ]}
      />
      <input
        className="field-input data"
        type="text"
        autoComplete="off"
        spellCheck={false}
        maxLength={600}
        aria-label={isPublish ? 'Subject to publish' : 'Pattern to subscribe to'}
        aria-invalid={what.fault !== undefined || undefined}
        aria-describedby={noteId}
        placeholder={isPublish ? 'vak.work.default.builds.task' : 'vak.events.default.>'}
        data-testid="what-if-subject"
        value={fields.subject}
        onChange={(event) => set({ subject: event.target.value })}
      />
    </div>
  );
}

function Question({ fields, what, set }: PartProps) {
  const id = useId();
  const isPublish = fields.action === 'publish';
  const { fault } = what;
  return (
    <div className="what-if-question">
      <Ask {...{ fields, what, set }} noteId={`${id}-note`} />
      {fault === undefined ? (
        <p id={`${id}-note`} className="field-note what-if-note">
          {isPublish
            ? 'vak.<plane>.<workspace>.<name>.<verb>; rooms count as entered.'
            : '* stands for one name, > at the end for all that follow.'}
        </p>
      ) : (
        <SubjectFaultLine id={`${id}-note`} text={fields.subject.trim()} fault={fault} />
      )}
      <Answer what={what} />
      <p className="what-if-command">
        {what.command !== undefined && (
          <>
            <code className="data">{what.command}</code>
            <CopyIcon name="command that says the same" value={what.command} />
          </>
        )}
      </p>
    </div>
  );
}

export function WhatIfTab({ self, nowMs }: { readonly self: SelfSummary; readonly nowMs: number }) {
  const { fields, set } = useQuestion();
  const what = askPolicy(fields, { workspace: self.workspace, grants: self.workspaceGrants, nowMs });
  const part = { fields, what, set };
  return (
    <div className="what-if" data-testid="what-if">
      <section className="what-if-who" aria-label="Who asks">
        <Who {...part} self={self} />
      </section>
      <div className="what-if-main">
        <Question {...part} />
        <ReachTable reach={what.reach} places={what.places} deciding={what.answer?.rule} />
      </div>
    </div>
  );
}
