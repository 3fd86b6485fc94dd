/** What a program says of a connection that is lost and sought again: once each way (protocol.md B8). */
import type { BusStatus } from '../../engine/bus/bus-status.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CliHost } from './command.ts';

export interface OutageTalk {
  /** The line when it is lost. */
  readonly lost: string;
  /** The line when it is back; `after`: how long that took. */
  readonly back: (after: string) => string;
  /** Called when it is closed for good. */
  readonly onClosed: (error: VakError) => void;
}

/** Creates the listener of a connection's status. */
export function createOutageTalk({ output, clock }: CliHost, talk: OutageTalk): (status: BusStatus) => void {
  let lostMs: number | undefined;
  return (status) => {
    if (status.kind === 'reconnecting' && lostMs === undefined) {
      lostMs = clock.monotonic();
      output.talk(talk.lost);
    } else if (status.kind === 'connected' && lostMs !== undefined) {
      const seconds = ((clock.monotonic() - lostMs) / 1000).toFixed(1);
      lostMs = undefined;
      output.talk(talk.back(`${seconds} s`));
    } else if (status.kind === 'closed') {
      const { error } = status;
      talk.onClosed(error === null ? new VakError('closed', 'the connection is closed') : VakError.fromShape(error));
    }
  };
}
