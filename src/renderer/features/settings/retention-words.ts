/** What is said of streams: what each is for, what it keeps and for how long, and whether the engine has what is asked for. Pure. */
import type { ConnectionKind } from '../../../shared/contract/connections-contract.ts';
import type { KeptLimits, StreamHolding } from '../../../shared/contract/settings-contract.ts';
import { formatBytes, formatCount, unitSpace } from '../../ui/format.ts';

const purposes: Readonly<Record<string, string>> = {
  WORK: 'tasks that wait',
  INBOX: 'messages to peers',
  RECEIPTS: 'receipts of attempts',
  APPROVALS: 'requests and verdicts',
  DLQ: 'dead letters',
  ROOMS: 'rooms and their logs',
  KEYS: 'room keys, sealed',
  AUDIT: 'what operators did',
  CHAIN: 'checkpoints, void records',
  ADV: 'deaths of tasks',
};

export function purposeOf(kind: string): string {
  return purposes[kind] ?? '';
}

const dayMs = 86_400_000;

export function ageWords({ maxAgeMs, retention }: KeptLimits): string {
  if (maxAgeMs !== null) return `${formatCount(maxAgeMs / dayMs, maxAgeMs % dayMs === 0 ? 0 : 1)}${unitSpace}d`;
  return retention === 'until-done' ? 'until done' : 'no end';
}

export function bytesWords({ maxBytes }: KeptLimits): string {
  return maxBytes === null ? 'no bound' : formatBytes(maxBytes);
}

export function fullWords({ whenFull, maxBytes }: KeptLimits): string {
  if (maxBytes === null) return '–';
  return whenFull === 'drop-old' ? 'the oldest go' : 'new ones refused';
}

/** How full it is, 0 to 1; undefined where there is no bound. */
export function fillOf({ kept, bytes }: StreamHolding): number | undefined {
  return kept?.maxBytes == null || kept.maxBytes === 0 ? undefined : Math.min(1, bytes / kept.maxBytes);
}

/** What of a stream is otherwise than asked for; undefined: nothing. */
export function differenceWords({ kept, asked }: StreamHolding): string | undefined {
  if (kept === null) return 'not there';
  const parts = [
    kept.maxAgeMs !== asked.maxAgeMs && `age ${ageWords(asked)}`,
    kept.maxBytes !== asked.maxBytes && bytesWords(asked),
    kept.whenFull !== asked.whenFull && fullWords(asked),
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : `asked: ${parts.join(', ')}`;
}

/** Who changes what the streams keep, on an engine of that kind. */
export function ownerWords(kind: ConnectionKind | undefined): string {
  if (kind === 'remote') {
    return 'This is what the server has. What the settings above ask for is put there by vak provision alone, by whoever may.';
  }
  return 'The app puts what the settings above ask for when it opens the connection the next time; what is over a limit then is dropped.';
}
