/** What the killed program has told so far, over all its runs on one folder. */
import type { FabricEvent } from './fabric-content.ts';

interface StreamLedger {
  /** Ids of appends that were begun. */
  readonly begun: Set<string>;
  /** Seq of each append that was acknowledged, by id. */
  readonly appended: Map<string, number>;
  readonly ackBegun: Set<number>;
  /** Seqs whose ack was noted. */
  readonly acked: Set<number>;
}

export interface FabricLedger {
  /** Takes a line that it told. */
  take(line: string): void;
  stream(name: string): StreamLedger;
  /** Of each key the last put that was acknowledged. */
  readonly values: ReadonlyMap<string, { readonly serial: number; readonly revision: number }>;
  readonly begunValues: ReadonlyMap<string, readonly number[]>;
  readonly lastRevision: number;
  /** Of each object the last serial that was acknowledged. */
  readonly objects: ReadonlyMap<string, number>;
  readonly begunObjects: ReadonlyMap<string, readonly number[]>;
  /** Messages that were delivered after their ack was noted. */
  readonly deliveredAgain: readonly string[];
  /** Ids of appends without an answer: an outbox would send them again. */
  unanswered(): readonly string[];
  /** Above every serial that was used. */
  readonly nextSerial: number;
}

export function createFabricLedger(): FabricLedger {
  const streams = new Map<string, StreamLedger>();
  const values = new Map<string, { readonly serial: number; readonly revision: number }>();
  const begunValues = new Map<string, number[]>();
  const objects = new Map<string, number>();
  const begunObjects = new Map<string, number[]>();
  const deliveredAgain: string[] = [];
  let lastRevision = 0;
  let lastSerial = 0;

  function stream(name: string): StreamLedger {
    const known = streams.get(name);
    if (known !== undefined) return known;
    const made = { begun: new Set<string>(), appended: new Map<string, number>(), ackBegun: new Set<number>() };
    const ledger = { ...made, acked: new Set<number>() };
    streams.set(name, ledger);
    return ledger;
  }

  function push(map: Map<string, number[]>, name: string, serial: number): void {
    map.set(name, [...(map.get(name) ?? []), serial]);
  }

  function take(event: FabricEvent): void {
    if ('serial' in event) lastSerial = Math.max(lastSerial, event.serial);
    switch (event.kind) {
      case 'append':
        lastSerial = Math.max(lastSerial, Number(event.id.split('-').at(-1)));
        if (event.isDone) stream(event.stream).appended.set(event.id, event.seq);
        else stream(event.stream).begun.add(event.id);
        return;
      case 'deliver':
        if (stream(event.stream).acked.has(event.seq)) deliveredAgain.push(`${event.stream} ${event.seq}`);
        return;
      case 'ack':
        stream(event.stream)[event.isDone ? 'acked' : 'ackBegun'].add(event.seq);
        return;
      case 'value':
        if (!event.isDone) push(begunValues, event.key, event.serial);
        else {
          values.set(event.key, event);
          lastRevision = Math.max(lastRevision, event.revision);
        }
        return;
      case 'object':
        if (event.isDone) objects.set(event.name, event.serial);
        else push(begunObjects, event.name, event.serial);
    }
  }

  return {
    take: (line) => take(JSON.parse(line) as FabricEvent),
    stream,
    ...{ values, begunValues, objects, begunObjects, deliveredAgain },
    get lastRevision() {
      return lastRevision;
    },
    unanswered: () =>
      [...streams.values()].flatMap(({ begun, appended }) => [...begun].filter((id) => !appended.has(id))),
    get nextSerial() {
      return lastSerial + 1;
    },
  };
}
