/** Why something cannot be done with dead letters now. Pure; undefined: it can. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { CampaignState } from '../../../shared/contract/dlq-contract.ts';
import { publishFault } from '../../ui/connection-words.ts';
import type { LetterScope } from './letter-scope.ts';
import type { PlannedAction } from './letter-work.ts';

export interface LetterSituation {
  readonly connection: ConnectionsState | undefined;
  readonly scope: LetterScope | undefined;
  /** The cause that the cursor is on; null: groups are no causes, or none is chosen. */
  readonly cause: string | null;
}

/** Why nothing can be said or done about dead letters: the same for every action, and said before it is begun. */
export function whyNotChange({ connection }: Pick<LetterSituation, 'connection'>): string | undefined {
  return publishFault(connection);
}

const noScope = 'select a group or a letter first';

/** Retry, archive, restore. */
export function whyNotAct(situation: LetterSituation): string | undefined {
  return whyNotChange(situation) ?? (situation.scope === undefined ? noScope : undefined);
}

/** Edit and retry: one letter, whose task can be opened. */
export function whyNotEdit(situation: LetterSituation, closedWhy: string | null | undefined): string | undefined {
  const fault = whyNotChange(situation);
  if (fault !== undefined) return fault;
  const { scope } = situation;
  if (scope === undefined || scope.kind === 'matching') return 'select one letter first';
  if (scope.seqs.length !== 1) return 'only one letter can be edited at a time';
  return closedWhy ?? undefined;
}

/** Opening a task is on record (D10), so it needs what recording needs. */
export function whyNotOpen(situation: LetterSituation, closedWhy: string | null): string | undefined {
  return whyNotChange(situation) ?? closedWhy ?? undefined;
}

/** What is said of a group is said of a cause. */
export function whyNotSay(situation: LetterSituation): string | undefined {
  return whyNotChange(situation) ?? (situation.cause === null ? 'select a cause first' : undefined);
}

export function whyNotStop(
  { connection }: Pick<LetterSituation, 'connection'>,
  campaign: CampaignState | undefined,
): string | undefined {
  if (campaign === undefined) return 'there is no retry under way';
  if (campaign.state !== 'running' && campaign.state !== 'waiting') return 'it is over';
  return whyNotChange({ connection });
}

/** Above so many letters, an action on a server of others is confirmed by the name of the place. */
const fewLetters = 5;

/** What is done with so many letters. */
export interface Planned {
  readonly action: PlannedAction;
  readonly count: number;
}

/** Whether the name of the environment is to be typed before it is done there; an export touches no letter. */
export function needsTyping({ action, count }: Planned, connection: ConnectionsState | undefined): boolean {
  if (action === 'export') return false;
  const context = connection?.contexts.find(({ name }) => name === connection.current);
  if (count <= fewLetters || context === undefined) return false;
  return context.kind === 'remote' || (context.kind === 'managed' && context.colour !== 'grey');
}
