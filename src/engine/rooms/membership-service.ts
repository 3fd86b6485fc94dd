/**
 * The membership service: orders and stores the entries of rooms' logs (protocol.md R2, docs/spec/rooms.md R24, R25).
 * Law: it stores what every reader would take, and nothing else; it signs no entry, sees no key, and nobody need believe it.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { maxRoomEntryBytes } from '../../shared/protocol/payload-room-control.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { serveControl } from '../control/control-service.ts';
import { createRequestGate, type RequestMessage, type SoundRequest } from '../control/request-gate.ts';
import { createPassingSources } from '../control/request-sources.ts';
import { createSeekingCheck } from '../envelope/seeking-check.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import type { WorkPeer, WorkPorts } from '../work/work-peer.ts';
import { createAskerRates } from './asker-rates.ts';
import { createEntryStore, type StoredEntry } from './entry-store.ts';
import { createRoomHints } from './room-hints.ts';
import { createRoomShelf, type RoomShelfOptions } from './room-shelf.ts';
import { type RoomRequest, roomRequestType, roomService } from './room-subjects.ts';

/** An entry that was stored, and by whose request. */
export interface MembershipEvent extends Pick<StoredEntry, 'room' | 'seq'> {
  readonly kind: 'stored';
  readonly type: string;
  readonly n: number;
  readonly by: string;
}

export interface MembershipServiceDeps extends WorkPorts {
  /** With the role `membershipd`; it stays the caller's. */
  readonly peer: Pick<WorkPeer, 'workspace' | 'bus' | 'durable' | 'publisher' | 'judge' | 'judging' | 'reader'>;
  readonly onEvent: (event: MembershipEvent) => void;
  readonly shelf?: RoomShelfOptions;
}

export interface MembershipService {
  /** Takes no more requests; resolves when those under way are answered. */
  close(): Promise<void>;
}

/** Largest request: an entry in base64, and the attributes of its envelope. */
const maxRequestBytes = 2 * maxRoomEntryBytes;
/** Sources that ask within two minutes. */
const maxSources = 8_192;
const maxUnderWay = 256;
/** Against one that stores an entry; it may have to read many logs. */
const mineCost = 10;

/** Opens requests: of now, for here, soundly signed by who may ask, and not too many. */
function createDoor({ peer, clock }: Pick<MembershipServiceDeps, 'peer' | 'clock'>) {
  const { judging } = peer;
  const gate = createRequestGate({
    ...{ clock, sources: createPassingSources(maxSources, clock), checkSignature: createSeekingCheck(judging) },
  });
  const rates = createAskerRates(clock);
  return (message: RequestMessage, verb: RoomRequest, cost: number): SoundRequest => {
    const { length } = message.data;
    if (length > maxRequestBytes) {
      throw new VakError('invalid-payload', `${verb}: ${length} bytes, at most ${maxRequestBytes} are taken`);
    }
    judging.knowledge.look();
    const request = gate.open(message, roomRequestType(verb));
    rates.take(request.peer, cost);
    return request;
  };
}

/** Serves until it is closed. Throws what subscribing throws: `forbidden`, `closed`. */
export function serveMembership(deps: MembershipServiceDeps): MembershipService {
  const { peer, clock, randomness, logger, onEvent } = deps;
  const { workspace, bus, durable, publisher, judge, reader } = peer;
  const open = createDoor(deps);
  const ending = new AbortController();
  const shelf = createRoomShelf({ workspace, durable, judge, checks: createRecordChecks(), clock }, deps.shelf);
  const hints = createRoomHints({ workspace, durable, reader, shelf, logger });
  const store = createEntryStore({ workspace, shelf, publisher, clock, randomness, signal: ending.signal });
  const control = serveControl(
    { bus, logger, workspace, service: roomService, name: 'membership', maxUnderWay },
    {
      async append(message) {
        const request = open(message, 'append', 1);
        const { entry } = decodePayload(roomRequestType('append'), request.payload);
        const { room, seq, isNew } = await store.store(entry, request.trace);
        if (isNew) onEvent({ kind: 'stored', room, seq, type: entry.body.type, n: entry.n, by: request.peer });
        return { seq };
      },
      async mine(message) {
        const request = open(message, 'mine', mineCost);
        decodePayload(roomRequestType('mine'), request.payload);
        return { rooms: await hints.of(request.sign) };
      },
    },
  );
  return {
    async close() {
      control.dispose();
      ending.abort();
      await control.idle();
    },
  };
}
