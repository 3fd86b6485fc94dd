/** "Create the streams…": shows what would be made on the server in use, with its bounds, and makes it. */
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ProvisioningPart, ProvisioningPlan } from '../../../shared/contract/provisioning-contract.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { publishLack } from '../../ui/connection-words.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { boundWords, changedCount, outcomeWords } from './provision-words.ts';
import { useConnectionWork, useWorkState } from './use-connection-work.ts';
import '../../ui/data-table.css';
import './provision-dialog.css';

function PartRow({ part }: { readonly part: ProvisioningPart }) {
  const { name, kind, subjects, outcome, replicas } = part;
  const holds = kind === 'stream' ? subjects.join(', ') : 'records of peers';
  return (
    <tr data-outcome={outcome}>
      <th scope="row" className="data" title={`${visibleText(name)}: ${holds}`}>
        {visibleText(name)}
      </th>
      <td title={boundWords(part)}>{boundWords(part)}</td>
      <td className="data-number">{outcome === 'created' ? formatCount(replicas) : '–'}</td>
      <td className={outcome === 'unchanged' ? 'dim' : ''}>{outcomeWords(part)}</td>
    </tr>
  );
}

function PlanTable({ parts }: Pick<ProvisioningPlan, 'parts'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys.
    <div className="provision-parts" tabIndex={0} role="region" aria-label="Streams and buckets of this workspace">
      <table className="data-table provision-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Bounds</th>
            <th scope="col" className="data-number" title="Copies of a new one; what is there keeps its own number">
              Replicas
            </th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <PartRow key={part.name} part={part} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Why nothing can be made now; undefined: it can. */
function useLack(plan: ProvisioningPlan | undefined, isBusy: boolean): string | undefined {
  const fault = publishLack(useSnapshot('connections.state'));
  if (fault !== undefined) return fault;
  if (isBusy) return 'it is under way';
  if (plan === undefined) return 'what is missing is not known yet';
  return changedCount(plan.parts) === 0 ? 'all of it is there' : undefined;
}

function summaryOf(plan: ProvisioningPlan | undefined): string {
  if (plan === undefined) return '';
  const count = changedCount(plan.parts);
  if (count === 0) return `All ${formatCount(plan.parts.length)} are there, and as they should be.`;
  return `${formatCount(count)} of ${formatCount(plan.parts.length)} are created or changed; nothing that is stored is touched.`;
}

function ProvisionForm({ onClose }: { readonly onClose: () => void }) {
  const { client, notify } = useWorkbench();
  const [plan, setPlan] = useState<ProvisioningPlan | undefined>();
  const { isBusy, report, run } = useAttempt();
  const lack = useLack(plan, isBusy);
  const look = (): Promise<boolean> =>
    run('Look what is missing', async () => setPlan(await client.provisioning.plan({})));
  const first = useRef(look);
  useEffect(() => {
    void first.current();
  }, []);
  const make = async (shown: ProvisioningPlan): Promise<void> => {
    const { parts, environment } = await client.provisioning.make({ environment: shown.environment });
    notify(
      `${formatCount(changedCount(parts))} streams and buckets were made or changed on ${visibleText(environment)}.`,
    );
    onClose();
  };
  const count = plan === undefined ? 0 : changedCount(plan.parts);
  return (
    <div className="dialog-body" aria-busy={isBusy}>
      {plan === undefined && report === undefined && <p className="late dim">Looking what is there…</p>}
      {plan !== undefined && <PlanTable parts={plan.parts} />}
      {plan !== undefined && <p role="status">{summaryOf(plan)}</p>}
      {report !== undefined && (
        <ErrorNotice report={report}>
          <Button onClick={() => void look()}>Look again</Button>
        </ErrorNotice>
      )}
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          {count === 0 ? 'Close' : 'Cancel'}
        </Button>
        <Button
          variant="primary"
          disabledReason={lack}
          onClick={() => plan !== undefined && void run('Create the streams', () => make(plan))}
          data-testid="provision-make"
        >
          {isBusy && plan !== undefined ? 'Creating…' : `Create ${count === 0 ? 'them' : formatCount(count)}`}
        </Button>
      </DialogActions>
    </div>
  );
}

export function ProvisionDialog() {
  const work = useConnectionWork();
  const environment = useEnvironment();
  const isOpen = useWorkState((state) => state.isProvisioning);
  const close = (): void => work.store.setState({ isProvisioning: false });
  if (!isOpen || environment === undefined) return null;
  return (
    <Dialog
      isOpen
      kind="wide"
      title={`Create the streams of this workspace on ${environment.name}`}
      description="The same that vak provision makes. Done again it changes nothing."
      tint={environment.colour}
      onClose={close}
    >
      <ProvisionForm onClose={close} />
    </Dialog>
  );
}
