/**
 * The embedded engine, whole (protocol.md B6): live plane, streams, key-value and objects over one journal; needs no server.
 * Law: what an append stores is heard live, once, after it is stored, in the stream's order; a journal that cannot be changed can be read.
 */
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { createListenerSet } from '../../listener-set.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { type Bus, maxMessageBytes } from '../bus.ts';
import type { BusStatus } from '../bus-status.ts';
import type { DurablePlane, MakeOptions } from '../durable.ts';
import type { Fabric, MissingFeature } from '../fabric.ts';
import { createDurableSubjects } from './durable-subjects.ts';
import type { Journal, JournalDurability } from './journal.ts';
import { journalKey } from './journal-keys.ts';
import { createKeyValueStore, type KeyValueStore } from './key-value-store.ts';
import { openLevelJournal } from './level-journal.ts';
import { createMemoryBus } from './memory-bus.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import { createStoringBus } from './storing-bus.ts';
import { createStreamPlane, type StreamPlane } from './stream-plane.ts';

/** What a fabric is made of, whatever it keeps. */
export interface FabricPorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
}

export interface EmbeddedFabricOptions extends FabricPorts {
  /** Where the journal lies; undefined: in memory, gone with the fabric. */
  readonly folder: string | undefined;
  /** What "acknowledged" means (B6). */
  readonly durability: JournalDurability;
}

/** What a fabric keeps in its journal, and what it says that it lacks. */
interface Keeping {
  /** False: streams live in memory alone, as they are. */
  readonly isKeeping: boolean;
  readonly missing: readonly MissingFeature[];
}

/** The parts over one journal. */
interface Parts {
  readonly journal: Journal;
  readonly live: Bus;
  readonly streams: StreamPlane;
  readonly keyValue: KeyValueStore;
  readonly objects: ObjectStore;
}

async function openParts(journal: Journal, ports: FabricPorts, { isKeeping }: Keeping): Promise<Parts> {
  const { clock, logger } = ports;
  const opened: { close(): Promise<void> }[] = [journal];
  const live = createMemoryBus({ clock, logger });
  const onStored = (message: StoredNow): void => announce(live, logger, message);
  try {
    const streams = await createStreamPlane({ journal, isKeeping, ...ports, onStored });
    opened.unshift(streams);
    const keyValue = await createKeyValueStore({ journal, clock, logger });
    opened.unshift(keyValue);
    const objects = await createObjectStore({ journal, clock, logger });
    return { journal, live, streams, keyValue, objects };
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

interface StoredNow {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** Lets live subscribers hear what was stored. */
function announce(bus: Bus, logger: Logger, { subject, data }: StoredNow): void {
  try {
    bus.publish(subject, data);
  } catch (thrown) {
    // It is stored, so nothing is lost: the live plane has ended, or its bound is reached.
    if (!isVakError(thrown)) logger.bug('bus.not-announced', thrown);
    else if (thrown.code !== 'closed') logger.warn('bus.not-announced', { code: thrown.code });
  }
}

/** Copies lie on other servers, of which there are none. */
function checkCopies(options: MakeOptions | undefined): void {
  if ((options?.replicas ?? 1) === 1) return;
  throw new VakError('unsupported', 'replicas: the embedded engine keeps one copy; more need a cluster of NATS', {
    details: { field: 'replicas' },
  });
}

/** The planes as they are used: the two know of each other here, and nowhere else. */
async function joinPlanes(parts: Parts, { logger }: FabricPorts) {
  const { live, streams, keyValue, objects } = parts;
  const subjects = createDurableSubjects();
  for (const { spec } of await streams.streams()) subjects.set(spec);
  const bus = createStoringBus({ bus: live, isDurable: subjects.has, append: streams.store, logger });
  const durable: DurablePlane = {
    async ensureStream(spec, options) {
      checkCopies(options);
      const outcome = await streams.ensureStream(spec, options);
      if (options?.dryRun !== true) subjects.set(spec);
      return outcome;
    },
    streams: () => streams.streams(),
    stream: (name) => streams.stream(name),
    async deleteStream(name) {
      const wasThere = await streams.deleteStream(name);
      subjects.remove(name);
      return wasThere;
    },
    append: streams.append,
    async ensureKeyValue(spec, options) {
      checkCopies(options);
      return await keyValue.ensure(spec, options);
    },
    keyValue: (name) => keyValue.bucket(name),
    limits: async () => ({ memoryBytes: -1, storageBytes: -1 }),
    async ensureObjects(name, options) {
      checkCopies(options);
      return await objects.ensure(name, options);
    },
    objects: (name) => objects.bucket(name),
  };
  return { bus, durable };
}

function createStatus({ clock, logger }: FabricPorts) {
  const listeners = createListenerSet<BusStatus>(logger, 'bus.status-listener-threw');
  let status: BusStatus = { kind: 'connected', sinceMs: clock.now(), server: 'embedded', rttMs: null };
  return {
    now: () => status,
    onChange: listeners.add,
    end(): void {
      status = { kind: 'closed', sinceMs: clock.now(), error: null };
      listeners.tell(status);
      listeners.clear();
    },
  };
}

function missingOf({ readOnlyReason }: Journal): MissingFeature[] {
  return readOnlyReason === undefined ? [] : [{ feature: 'storing', needs: readOnlyReason }];
}

/** Ends the parts one after the other, each whatever became of the one before; then throws what the first of them threw. */
async function endAll(ends: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends) await end().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Opens an engine over a journal, which it owns from then on. Throws `corrupt` if what it holds does not fit together. */
export async function createFabricOver(
  journal: Journal,
  ports: FabricPorts,
  keeping: Keeping = { isKeeping: true, missing: [] },
): Promise<Fabric> {
  const { clock } = ports;
  const parts = await openParts(journal, ports, keeping);
  const { bus, durable } = await joinPlanes(parts, ports);
  const status = createStatus(ports);
  let closing: Promise<void> | undefined;

  return {
    bus,
    durable,
    status: status.now,
    onStatus: status.onChange,
    facts: () => ({
      ...{ kind: 'embedded', server: null, maxMessageBytes },
      missing: [...keeping.missing, ...missingOf(journal)],
    }),
    async ping() {
      if (closing !== undefined) throw new VakError('closed', 'ping: the engine is closed');
      const beganMs = clock.monotonic();
      // To the journal and back: it is as far away as anything gets here.
      await journal.get(journalKey('ping'));
      return clock.monotonic() - beganMs;
    },
    close() {
      // Subscribers may still store what they do last; then whoever waits is let go, and what was stored is written.
      const ends = [bus, parts.objects, parts.keyValue, parts.streams, journal].map((part) => () => part.close());
      closing ??= endAll(ends).finally(status.end);
      return closing;
    },
  };
}

/**
 * Opens the embedded engine. A damaged store or a full disk opens read-only, and `facts().missing` says why.
 * Throws `already-running` (another process has the folder), `corrupt` (nothing of it can be read), `disk-full`, `forbidden`, `unsupported`.
 */
export async function createEmbeddedFabric(options: EmbeddedFabricOptions): Promise<Fabric> {
  const { folder, durability, ...ports } = options;
  if (folder === undefined) {
    const missing = [{ feature: 'keeping anything after the end', needs: 'a folder for its journal' }];
    return createFabricOver(createMemoryJournal(), ports, { isKeeping: false, missing });
  }
  const { clock, logger } = ports;
  return createFabricOver(await openLevelJournal({ folder, durability, clock, logger }), ports);
}
