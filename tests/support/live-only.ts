/** A fabric of which a test needs the live plane alone: its durable plane refuses everything. */
import type { Bus } from '../../src/engine/bus/bus.ts';
import type { DurablePlane } from '../../src/engine/bus/durable.ts';
import type { PeerFabric } from '../../src/engine/bus/fabric.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';
import { VakError } from '../../src/shared/base/vak-error.ts';

function refuse(): never {
  throw new VakError('unsupported', 'this fabric has no durable plane');
}

export function liveOnly(bus: Bus): PeerFabric {
  const durable: DurablePlane = {
    ...{ limits: refuse, ensureStream: refuse, streams: refuse, stream: refuse, deleteStream: refuse, append: refuse },
    ...{ ensureKeyValue: refuse, keyValue: refuse, ensureObjects: refuse, objects: refuse },
  };
  return {
    ...{ bus, durable },
    status: () => ({ kind: 'connected', sinceMs: 0, server: 'none', rttMs: null }),
    onStatus: () => toDisposable(() => {}),
  };
}
