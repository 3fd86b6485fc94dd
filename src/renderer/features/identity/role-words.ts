/** What each role is for, in a line (protocol.md A2). */
import type { Role } from '../../../shared/protocol/roles.ts';

export const roleWords: Readonly<Record<Role, string>> = {
  worker: 'does the tasks of its queues',
  bot: 'talks in its rooms by itself',
  human: 'talks in its rooms',
  coordinator: 'puts tasks into queues and follows them',
  operator: 'reads all, answers approvals, acts on queues',
  observer: 'reads events and receipts',
  membershipd: 'orders the logs of rooms',
  'dlq-supervisor': 'ends what no worker could end',
  provisioner: 'makes streams, consumers and buckets',
};
