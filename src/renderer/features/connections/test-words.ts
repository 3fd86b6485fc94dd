/** What a test of a connection found, as facts to read. Pure. */
import type { ConnectionTest } from '../../../shared/contract/connections-contract.ts';
import { formatRoundTrip } from '../../ui/connection-words.ts';
import { formatBytes, formatCount } from '../../ui/format.ts';

function limitWords(bytes: number | null): string {
  if (bytes === null) return 'not told';
  return bytes < 0 ? 'no limit' : formatBytes(bytes);
}

function jetStreamWords(jetStream: ConnectionTest['jetStream']): string {
  if (jetStream === null) return 'not enabled for this account';
  return `memory ${limitWords(jetStream.memoryBytes)} · storage ${limitWords(jetStream.storageBytes)}`;
}

/** Label and value, in the order of reading. */
export function testFacts({ rttMs, server, jetStream }: ConnectionTest): readonly (readonly [string, string])[] {
  const roundTrip = ['Round trip', formatRoundTrip(rttMs)] as const;
  // Without a server there is nothing that could lack JetStream.
  if (server === null) return [roundTrip, ['Server', 'none: the bus is in this app']];
  return [roundTrip, ['Server', `${server.name} ${server.version}`], ['JetStream', jetStreamWords(jetStream)]];
}

/** `It answers, and has everything that this app uses.` */
export function testSummary({ missing }: Pick<ConnectionTest, 'missing'>): string {
  if (missing.length === 0) return 'It answers, and has everything that this app uses.';
  return `It answers, but ${formatCount(missing.length)} ${missing.length === 1 ? 'feature is' : 'features are'} missing:`;
}
