/**
 * Makes what a workspace needs on an engine: streams and key-value buckets of protocol.md §1, idempotently (`vak provision`).
 * Law: the table names the streams; a second run changes nothing; a dry run changes nothing and says what would be done.
 */

import { type ErrorCode, isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { type StreamSpec, streamsOf } from '../../shared/protocol/stream-table.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { ConsumerSpec, DurablePlane, KeyValueSpec, MakeOptions, Provisioned } from './durable.ts';

export interface ProvisionedPart {
  readonly name: string;
  readonly kind: 'stream' | 'key-value' | 'consumer' | 'objects';
  readonly outcome: Provisioned;
}

/** A consumer, and whose. */
export interface StreamConsumer {
  readonly stream: string;
  readonly spec: ConsumerSpec;
}

/** Values of a key that are kept: of grants the superseded ones, by which older envelopes are judged (I4). */
const histories = { CARDS: 16, GRANTS: 64, STATE: 8 } as const;

/** The key-value buckets of a workspace. Throws `invalid-subject` for a workspace that is no token. */
export function keyValuesOf(workspace: string): readonly KeyValueSpec[] {
  const ws = checkToken(workspace, 'workspace');
  return Object.entries(histories).map(([name, history]) => ({ name: `VAK_${name}_${ws}`, history }));
}

export interface ProvisionOptions extends MakeOptions {
  /**
   * Peers whose buckets of large values are made, too. Where a server enforces access they cannot make them themselves (A4); elsewhere
   * each is made at its first use.
   */
  readonly writers?: readonly string[];
  /** Consumers that are made where they are not there; one that is there is left as it is. */
  readonly consumers?: readonly StreamConsumer[];
  /** The workspace's streams; as the table has them if left out. */
  readonly streams?: readonly StreamSpec[];
  /** Told of each part as soon as it stands: what follows may fail. */
  readonly onPart?: (part: ProvisionedPart) => void;
  /** Told of a consumer or a writer's bucket that is not made; the others are. Left out: that ends it. */
  readonly onFailed?: (part: Omit<ProvisionedPart, 'outcome'>, error: VakError) => void;
}

/** After these nothing else would be made either. */
const ending: ReadonlySet<ErrorCode> = new Set(['aborted', 'closed', 'disconnected', 'read-only', 'timeout']);

/** Gives what was done, or would be. */
export async function ensureThere(
  durable: DurablePlane,
  { stream, spec }: StreamConsumer,
  { dryRun = false }: Pick<ProvisionOptions, 'dryRun'> = {},
): Promise<Provisioned> {
  const at = durable.stream(stream);
  try {
    await at.consumer(spec.name).state();
    return 'unchanged';
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
  }
  if (!dryRun) await at.ensureConsumer(spec);
  return 'created';
}

/**
 * One after the other, in the order of the table; what fails ends it, but a consumer or a writer's bucket if somebody is told. Throws what the plane does:
 * `conflict`, `unsupported`, `limit-exceeded` …
 */
export async function provision(
  durable: DurablePlane,
  workspace: string,
  {
    writers = [],
    consumers = [],
    streams = streamsOf(workspace),
    onPart = () => {},
    onFailed,
    ...options
  }: ProvisionOptions = {},
): Promise<readonly ProvisionedPart[]> {
  const parts: ProvisionedPart[] = [];
  const made = (part: ProvisionedPart): void => {
    parts.push(part);
    onPart(part);
  };
  for (const spec of streams)
    made({ name: spec.name, kind: 'stream', outcome: await durable.ensureStream(spec, options) });
  for (const spec of keyValuesOf(workspace))
    made({ name: spec.name, kind: 'key-value', outcome: await durable.ensureKeyValue(spec, options) });
  const tolerant = async (
    kind: ProvisionedPart['kind'],
    name: string,
    make: () => Promise<Provisioned>,
  ): Promise<void> => {
    try {
      made({ name, kind, outcome: await make() });
    } catch (error) {
      if (onFailed === undefined || !isVakError(error) || ending.has(error.code)) throw error;
      onFailed({ kind, name }, error);
    }
  };
  for (const one of consumers)
    await tolerant('consumer', `${one.stream} ${one.spec.name}`, () => ensureThere(durable, one, options));
  for (const writer of writers) {
    const name = mediaBucket(workspace, writer);
    await tolerant('objects', name, () => durable.ensureObjects(name, options));
  }
  return parts;
}
