/** Who may do what in this workspace: the grants that its root has signed. */
import type { GrantSummary, SelfSummary } from '../../../shared/contract/identity-contract.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { formatCount, formatZone } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { useViewState } from '../../workbench.tsx';
import { ExpiryText } from './expiry-text.tsx';

const keyLength = 12;

interface GrantRowProps {
  readonly grant: GrantSummary;
  readonly isOwn: boolean;
  readonly nowMs: number;
}

function GrantRow({ grant, isOwn, nowMs }: GrantRowProps) {
  const { peer, sign, roles, queues, notAfter, serial } = grant;
  return (
    <tr data-testid={`grant-${peer}`}>
      <th scope="row" className="data">
        {peer}
        {isOwn && <span className="identity-own">this peer</span>}
      </th>
      <td className="identity-list">
        {roles.length === 0 ? <span className="dim">none: revoked</span> : roles.join(', ')}
      </td>
      <td className="identity-list data">{queues.length === 0 ? <span className="dim">–</span> : queues.join(', ')}</td>
      <td>
        {notAfter === 0 ? (
          <span className="dim">no end</span>
        ) : (
          <ExpiryText endsAtMs={notAfter * 1000} nowMs={nowMs} isZoneSaid />
        )}
      </td>
      <td>
        <CopyValue name={`signing key of ${peer}`} value={sign} maxLength={keyLength} />
      </td>
      <td className="identity-number data">{serial}</td>
    </tr>
  );
}

export function GrantsPanel({ self, nowMs }: { readonly self: SelfSummary; readonly nowMs: number }) {
  const { workspaceGrants: grants, peer } = self;
  const zone = useViewState((state) => state.timeZone);
  const summary = `${formatCount(grants.length)} ${grants.length === 1 ? 'peer' : 'peers'}`;
  return (
    <Panel title="Grants" summary={summary} data-testid="identity-grants">
      {grants.length === 0 ? (
        <p className="panel-note">No peer has a grant, so nobody’s signature counts for a role here.</p>
      ) : (
        <div className="identity-scroll">
          <table className="identity-table">
            <thead>
              <tr>
                <th scope="col">Peer</th>
                <th scope="col">Roles</th>
                <th scope="col">Queues</th>
                <th scope="col">Until ({formatZone(zone, nowMs)})</th>
                <th scope="col">Signing key</th>
                <th scope="col" className="identity-number">
                  Serial
                </th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <GrantRow key={grant.peer} grant={grant} isOwn={grant.peer === peer} nowMs={nowMs} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
