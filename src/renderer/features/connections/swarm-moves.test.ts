import { expect, it, vi } from 'vitest';
import type { ConnectionContext, ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { createSwarmMoves } from './swarm-moves.ts';

const at = (current: string, kind = 'connected'): ConnectionsState =>
  ({ contexts: [], current, status: { kind, sinceMs: 0 } }) as unknown as ConnectionsState;

it('says once where the workers publish after a change, and nothing of one that failed or moves nobody', () => {
  const notify = vi.fn();
  const advise = vi.fn();
  const moves = createSwarmMoves({ notify, advise });
  moves.take(at('embedded'), 4);
  moves.take(at('prod', 'connecting'), 4);
  moves.take(at('embedded'), 4);
  expect(notify).not.toHaveBeenCalled();
  moves.take(at('prod'), 4);
  moves.take(at('prod', 'reconnecting'), 4);
  moves.take(at('prod'), 4);
  expect(notify.mock.calls).toEqual([['4 workers of the local swarm publish to prod now.']]);
  moves.take({ ...at('prod'), contexts: [{ name: 'prod', url: 'nats://other' } as ConnectionContext] }, 1);
  expect(notify).toHaveBeenLastCalledWith('1 worker of the local swarm publishes to prod now.');
  moves.take({ ...at('watch'), contexts: [{ name: 'watch', isReadOnly: true } as ConnectionContext] }, 4);
  expect(advise.mock.calls).toEqual([
    ['4 workers of the local swarm cannot publish: the connection watch is read-only.'],
  ]);
  moves.take(at('embedded'), 0);
  expect(notify).toHaveBeenCalledTimes(2);
});
