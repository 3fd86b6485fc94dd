/** What kinds of incidents and notifications are called, everywhere in the same words. Pure. */
import type { NoticeKind } from '../../shared/protocol/incident-kinds.ts';

export const noticeKindWords: Readonly<Record<NoticeKind, string>> = {
  approval: 'Waiting approvals',
  lost: 'Lost tasks',
  'refused-record': 'False records',
  'refused-approval': 'False verdicts',
  denied: 'Denied access',
  supervisor: 'Failed supervisor',
  'dead-letters': 'Dead letters',
  stuck: 'Stuck queues',
  'no-consumer': 'No consumer',
  age: 'Old tasks',
  lag: 'Lag',
};
