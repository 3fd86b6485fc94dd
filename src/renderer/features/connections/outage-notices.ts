/**
 * Says that the connection was lost, and that it is back (protocol.md B8).
 * Law: one notice each way for one outage, however often it is tried again meanwhile; none for what was over before.
 */
import type { ConnectionsState, Outage } from '../../../shared/contract/connections-contract.ts';
import { momentWords, outageSpan } from '../../ui/connection-words.ts';
import { formatDuration, formatZone, type Zone } from '../../ui/format.ts';

export interface OutageNoticesDeps {
  /** Says something that stays; gives what takes it away. */
  readonly advise: (text: string) => () => void;
  readonly notify: (text: string) => void;
  readonly zone: () => Zone;
}

export interface OutageNotices {
  /** Takes in the state of the connection whenever it may have changed. */
  take(state: Pick<ConnectionsState, 'outages' | 'current'>): void;
}

function lostWords(name: string, { fromMs }: Outage, zone: Zone): string {
  return `The connection to ${name} was lost at ${momentWords(fromMs, zone)}. What is shown is from before then.`;
}

function backWords(name: string, outage: Outage, zone: Zone): string {
  const tookMs = Math.max(0, (outage.toMs ?? outage.fromMs) - outage.fromMs);
  const [span] = outageSpan(outage, zone).split(' · ');
  return `Connected to ${name} again after ${formatDuration(tookMs)} (${span} ${formatZone(zone, outage.fromMs)}).`;
}

/** An outage that lasts: whose it is, and what takes its notice away. */
interface Standing {
  readonly name: string;
  readonly takeAway: () => void;
}

/** Creates it before the first state; what was over by then is not told. */
export function createOutageNotices({ advise, notify, zone }: OutageNoticesDeps): OutageNotices {
  const lasting = new Map<number, Standing>();
  let over: ReadonlySet<number> | undefined;

  function tell(outage: Outage, current: string): void {
    const { fromMs, toMs } = outage;
    const standing = lasting.get(fromMs);
    if (toMs === null) {
      if (standing === undefined)
        lasting.set(fromMs, { name: current, takeAway: advise(lostWords(current, outage, zone())) });
      return;
    }
    const isNews = over !== undefined || standing !== undefined;
    lasting.delete(fromMs);
    standing?.takeAway();
    // Another connection is in use: this one did not come back.
    const name = standing?.name ?? current;
    if (isNews && name === current) notify(backWords(name, outage, zone()));
  }

  return {
    take({ outages, current }) {
      for (const outage of outages) if (!over?.has(outage.fromMs)) tell(outage, current);
      for (const [fromMs, { takeAway }] of lasting) {
        if (outages.some((outage) => outage.fromMs === fromMs)) continue;
        lasting.delete(fromMs);
        takeAway();
      }
      over = new Set(outages.filter(({ toMs }) => toMs !== null).map(({ fromMs }) => fromMs));
    },
  };
}
