/** The workspace's secrets by id and state; their bytes never come here. */
import { Ban, Check, Clock, type LucideIcon } from 'lucide-react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { formatCount } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';

type SecretState = SelfSummary['secrets'][number]['state'];

const faces: Readonly<
  Record<SecretState, { readonly icon: LucideIcon; readonly tone: string; readonly words: string }>
> = {
  active: { icon: Check, tone: 'identity-ok', words: 'active: seals and opens' },
  'open-only': { icon: Clock, tone: 'identity-wait', words: 'open only: opens what is old, seals nothing' },
  revoked: { icon: Ban, tone: 'identity-bad', words: 'revoked: neither seals nor opens' },
};

function SecretLine({ id, state }: SelfSummary['secrets'][number]) {
  const { icon: Icon, tone, words } = faces[state];
  return (
    <li className="identity-secret" data-testid={`workspace-secret-${id}`} data-state={state}>
      <span className="data">{id}</span>
      <span className="identity-state">
        <Icon className={tone} size={14} aria-hidden="true" />
        {words}
      </span>
    </li>
  );
}

export function SecretsPanel({ secrets }: Pick<SelfSummary, 'secrets'>) {
  return (
    <Panel title="Workspace secrets" summary={formatCount(secrets.length)} data-testid="identity-secrets">
      {secrets.length === 0 ? (
        <p className="panel-note">None is held here; sealed messages of this workspace stay closed.</p>
      ) : (
        <ul className="identity-secrets">
          {secrets.map((secret) => (
            <SecretLine key={secret.id} {...secret} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
