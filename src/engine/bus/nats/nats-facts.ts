/**
 * What a nats-server can do, by its version (protocol.md B9).
 * Law: what is missing is said with the version that has it; nothing is tried and found out by failing.
 */
import { maxMessageBytes } from '../bus.ts';
import type { FabricFacts, MissingFeature } from '../fabric.ts';

/** What of a server's greeting decides. */
export interface ServerFacts {
  readonly server_name: string;
  readonly version: string;
  readonly max_payload: number;
  readonly jetstream?: boolean;
}

/** The first version that has a feature. The first rows are needed by the fabric, the others make it better. */
const since = {
  streams: '2.9.0',
  'key-value': '2.9.0',
  objects: '2.9.0',
  'consumers with several filters': '2.10.0',
  'compressed streams': '2.10.0',
  'reasons of terminated messages': '2.10.4',
  'messages with a time to live': '2.11.0',
  'batches of direct reads': '2.11.0',
} as const;

type NatsFeature = keyof typeof since;

const durable: readonly NatsFeature[] = ['streams', 'key-value', 'objects'];

/** Major, minor, patch; 0 for what is no number, so that an unreadable version has nothing. */
function numbersOf(version: string): readonly number[] {
  const found = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version);
  return found === null ? [0, 0, 0] : found.slice(1).map(Number);
}

/** Pre-releases count as their release. */
function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [numbersOf(version), numbersOf(wanted)];
  for (let i = 0; i < 3; i++) {
    const difference = (have[i] ?? 0) - (need[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function missingOf({ version, jetstream }: ServerFacts): readonly MissingFeature[] {
  return (Object.keys(since) as NatsFeature[]).flatMap((feature) => {
    if (!isAtLeast(version, since[feature])) return { feature, needs: `nats-server ${since[feature]} or later` };
    if (jetstream !== true && durable.includes(feature)) return { feature, needs: 'JetStream enabled on the server' };
    return [];
  });
}

/** Facts of a server that has greeted. The durable plane refuses by itself what is missing. */
export function factsOf(server: ServerFacts): FabricFacts {
  return {
    kind: 'nats',
    server: { name: server.server_name, version: server.version },
    maxMessageBytes: Math.min(maxMessageBytes, server.max_payload),
    missing: missingOf(server),
  };
}
