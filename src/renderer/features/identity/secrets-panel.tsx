/** Which secret of the workspace seals; they are managed in Settings. Their bytes never come here. */
import { Settings } from 'lucide-react';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { showSetting } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { useWorkbench } from '../../workbench.tsx';

function words(secrets: SelfSummary['secrets']): string {
  if (secrets.length === 0) return 'None is held here; sealed messages of this workspace stay closed.';
  const sealing = secrets.findLast(({ state }) => state === 'active');
  if (sealing === undefined) return 'None of them is active: nothing that must be sealed can be sent.';
  const others = secrets.filter(({ state }) => state !== 'revoked').length - 1;
  return `${sealing.id} seals what is sent; ${others === 0 ? 'no other one opens' : `${formatCount(others)} more ${others === 1 ? 'opens' : 'open'}`} what is old.`;
}

export function SecretsPanel({ secrets }: Pick<SelfSummary, 'secrets'>) {
  const { view } = useWorkbench();
  const manage = (
    <Button icon={Settings} data-testid="identity-secrets-manage" onClick={() => showSetting(view, 'workspaceSecrets')}>
      Manage in Settings
    </Button>
  );
  return (
    <Panel
      title="Workspace secrets"
      summary={formatCount(secrets.length)}
      actions={manage}
      data-testid="identity-secrets"
    >
      <p className="panel-note">{words(secrets)}</p>
    </Panel>
  );
}
