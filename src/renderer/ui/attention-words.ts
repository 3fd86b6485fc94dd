/** What needs an operator, in words: everywhere the same two parts. Pure. */
import type { Attention } from '../../shared/contract/operations-contract.ts';
import { formatCount } from './format.ts';

/** `3 incidents, 2 approvals`; a part that is nothing is not said. */
export function attentionWords({ incidentCount, approvalCount }: Attention): string {
  return [
    ...(incidentCount > 0 ? [`${formatCount(incidentCount)} ${incidentCount === 1 ? 'incident' : 'incidents'}`] : []),
    ...(approvalCount > 0 ? [`${formatCount(approvalCount)} ${approvalCount === 1 ? 'approval' : 'approvals'}`] : []),
  ].join(', ');
}
