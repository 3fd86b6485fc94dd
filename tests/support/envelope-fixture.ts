/** Envelopes, secrets and authors for tests of the envelope: the same ones at each run. */
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createEnvelopeSealer } from '../../src/engine/envelope/envelope-sealer.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import {
  createSecretRegistry,
  type SecretRegistry,
  type WorkspaceSecretEntry,
} from '../../src/engine/envelope/secret-registry.ts';
import { secretFromText } from '../../src/engine/identity/secret.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import type { HeadStore } from '../../src/engine/ports/head-store.ts';
import { createSeededRandomness, type Randomness } from '../../src/engine/ports/randomness.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { ChainKind } from '../../src/shared/protocol/chain-kind.ts';
import { type Envelope, genesisHash } from '../../src/shared/protocol/envelope.ts';
import { startTrace, type TraceContext } from '../../src/shared/protocol/trace-context.ts';
import { signerOf } from './identity-fixture.ts';

/** The plain envelope of protocol.md's golden values. */
export const goldenEnvelope: Envelope = {
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://test',
  type: 'vak.work.task',
  time: '2026-01-02T03:04:05.123456789Z',
  datacontenttype: 'application/json',
  subject: undefined,
  data: { kind: 'bytes', bytes: utf8('{"command":"cargo build","exit_code":0}') },
  traceparent: undefined,
  tracestate: undefined,
  workspaceid: 'ws_123',
  agentid: 'agent_456',
  sessionid: undefined,
  parentagentid: undefined,
  seqnum: 1,
  prevhash: genesisHash,
  payloadhash: '1cb55820e73518961335cd72f31447276ffe621c21813ca726099297908d0af6',
  causationid: undefined,
  resumes: undefined,
  seal: undefined,
  signed: undefined,
  extensions: [],
};

/** An active secret, unless told otherwise. */
export function entryOf(id: string, change: Partial<WorkspaceSecretEntry> = {}): WorkspaceSecretEntry {
  return { id, secret: secretFromText(`the secret called ${id}`), state: 'active', openOnlyUntilMs: null, ...change };
}

/** Secrets that a test changes by hand. */
export interface PlayedSecrets {
  /** Undefined: locked. */
  set(entries: readonly WorkspaceSecretEntry[] | undefined): void;
  /** Other aliases count from now on. */
  alias(next: ReadonlyMap<string, string>): void;
  readonly registry: SecretRegistry;
}

/** A registry over secrets that can be changed. */
export function playSecrets(
  entries: readonly WorkspaceSecretEntry[],
  options: { readonly clock?: FakeClock; readonly aliases?: ReadonlyMap<string, string> } = {},
): PlayedSecrets {
  const { clock = createFakeClock(), aliases = new Map() } = options;
  let current: readonly WorkspaceSecretEntry[] | undefined = entries;
  let version = 0;
  let known = aliases;
  const source = { secrets: () => current, version: () => version };
  return {
    set(next) {
      current = next;
      version++;
    },
    alias(next) {
      known = next;
    },
    registry: createSecretRegistry({ source, clock, aliases: () => known }),
  };
}

/** What an author of these tests is given in place of the usual. */
export interface AuthorChange {
  readonly peer?: string;
  readonly kind?: ChainKind;
  readonly clock?: FakeClock;
  readonly randomness?: Randomness;
  readonly heads?: HeadStore;
  readonly registry?: SecretRegistry;
  readonly isPlain?: boolean;
  readonly isUnsigned?: boolean;
}

/** An author of workspace `acme`, peer `ada` with key 1, secret `s1`. */
export function authorWith(change: AuthorChange = {}): EnvelopeAuthor {
  const { peer = 'ada', kind = 'e', clock = createFakeClock(), randomness = createSeededRandomness(5) } = change;
  const { registry = playSecrets([entryOf('s1')], { clock }).registry, heads = createMemoryHeadStore() } = change;
  return createEnvelopeAuthor({
    ...{ workspace: 'acme', peer, session: `${peer}-1-${kind}`, kind, clock, randomness, heads },
    ...(change.isUnsigned ? {} : { signer: signerOf(1) }),
    ...(change.isPlain ? {} : { sealer: createEnvelopeSealer({ registry, peer, clock, randomness }) }),
  });
}

/** A trace that never changes. */
export const fixedTrace: TraceContext = startTrace((length) => new Uint8Array(length).fill(7));

/** A draft on a subject of `ada`'s session. */
export const draftOf = (text: string, subject = 'vak.events.acme.ada-1-e.status') => {
  return { subject, payload: utf8(text), trace: fixedTrace };
};
