/**
 * Says where the local swarm publishes once the connection has become another one, whoever changed it.
 * Law: once for each change, and only of a connection that stands.
 */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { currentContext, publishFault } from '../../ui/connection-words.ts';
import { movedWords } from '../../ui/swarm-words.ts';

export interface SwarmMoves {
  /** Takes in the state of the connection, and how many workers publish. */
  take(state: ConnectionsState, workerCount: number): void;
}

export interface SwarmMovesDeps {
  readonly notify: (text: string) => void;
  /** Says what should be read: that nothing of it is published. */
  readonly advise: (text: string) => void;
}

/** Creates it before the first state, which is no change. */
export function createSwarmMoves({ notify, advise }: SwarmMovesDeps): SwarmMoves {
  let last: string | undefined;
  return {
    take(state, workerCount) {
      const place = `${state.current} ${currentContext(state)?.url ?? ''}`;
      if (state.status.kind !== 'connected' || place === last) return;
      const say = publishFault(state) === undefined ? notify : advise;
      if (last !== undefined && workerCount > 0) say(movedWords(workerCount, state));
      last = place;
    },
  };
}
