/** A workspace with a root, a secret, and peers that hold real grants, whose messages the engine's real intake judges. */

import { createEnvelopeAuthor, type EnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createEnvelopeReader, type EnvelopeReader } from '../../src/engine/envelope/envelope-reader.ts';
import { createEnvelopeSealer, type EnvelopeSealer } from '../../src/engine/envelope/envelope-sealer.ts';
import { createSignatureCheck } from '../../src/engine/envelope/envelope-signature.ts';
import { sealGcm } from '../../src/engine/envelope/gcm-cipher.ts';
import { createIntake, type Intake } from '../../src/engine/envelope/intake.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import { createEnvelopeOpener, type EnvelopeOpener } from '../../src/engine/envelope/open-envelope.ts';
import { createQuarantine, type Quarantine } from '../../src/engine/envelope/quarantine.ts';
import type { ReceivePolicy } from '../../src/engine/envelope/receive-policy.ts';
import {
  createSecretRegistry,
  type SecretSource,
  type WorkspaceSecretEntry,
} from '../../src/engine/envelope/secret-registry.ts';
import { createStoredJudge, type StoredJudge, type StoredJudgeDeps } from '../../src/engine/envelope/stored-judge.ts';
import type { TrustKnowledge } from '../../src/engine/envelope/trust-knowledge.ts';
import { createMessageBuffer, type MessageBuffer } from '../../src/engine/feeds/message-buffer.ts';
import { createSubjectReader } from '../../src/engine/feeds/subject-reader.ts';
import type { NkeySigner } from '../../src/engine/identity/nkey.ts';
import { createSecret } from '../../src/engine/identity/secret.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import {
  createSignerResolution,
  type SignerQuestion,
  type SignerVerdict,
} from '../../src/engine/identity/signer-resolution.ts';
import type { GrantLookup, Stored } from '../../src/engine/ports/directory.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSeededRandomness, type Randomness } from '../../src/engine/ports/randomness.ts';
import { recordProblem } from '../../src/engine/work/record-content.ts';
import { toHex, utf8 } from '../../src/shared/base/bytes.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';
import { rolesThatMayPublish } from '../../src/shared/protocol/acl.ts';
import type { ChainKind } from '../../src/shared/protocol/chain-kind.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { aadOf } from '../../src/shared/protocol/envelope-aad.ts';
import type { Grant } from '../../src/shared/protocol/identity-records.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import { startTrace, type TraceContext } from '../../src/shared/protocol/trace-context.ts';
import { grantWith, root, signerOf } from './identity-fixture.ts';

/** Name of the workspace. */
export const trustedWorkspace = 'acme';

/** A peer of it, and how it says something. */
export interface TrustedPeer {
  readonly author: EnvelopeAuthor;
  readonly session: string;
  readonly signer: NkeySigner;
  readonly sealer: EnvelopeSealer;
  /** An envelope's bytes on `vak.events.acme.<session>.<verb>`, or on the subject that is given; nothing is sent. */
  write(
    payload: object,
    verb?: string,
    subject?: string,
    more?: { readonly causationId?: string; readonly trace?: TraceContext },
  ): { readonly subject: string; readonly data: Uint8Array; readonly envelope: Envelope };
}

export interface PeerOptions {
  readonly roles?: readonly Role[];
  /** Number of its signing key; a peer that was granted another key signs with this one all the same. */
  readonly key?: number;
  readonly session?: string;
  /** Of its session, `e` unless told. */
  readonly kind?: ChainKind;
  readonly isSealing?: boolean;
  readonly isSigning?: boolean;
  readonly isGranted?: boolean;
  /** The one key id that it seals with, in the form of other software: the key is derived from the secret `s1`. */
  readonly keyId?: string;
}

const noAliases: ReadonlyMap<string, string> = new Map();

export interface TrustedWorkspace {
  readonly clock: FakeClock;
  readonly randomness: Randomness;
  readonly buffer: MessageBuffer;
  readonly reader: EnvelopeReader;
  readonly opener: EnvelopeOpener;
  readonly intake: Intake;
  /** Judges messages of streams. */
  readonly judge: StoredJudge;
  /** What it judges by. */
  readonly judging: Pick<StoredJudgeDeps, 'workspace' | 'policy' | 'checkSignature'>;
  /** Grants as they are known. */
  readonly grants: GrantLookup;
  /** Who holds what. */
  readonly resolve: (question: SignerQuestion) => SignerVerdict | undefined;
  readonly quarantine: Quarantine;
  policy: ReceivePolicy;
  /** Until it is no signature can be judged. */
  isRootKnown: boolean;
  /** The secrets as they are; undefined: locked. */
  secrets: readonly WorkspaceSecretEntry[] | undefined;
  /** Key id → secret id; undefined: aliases are not heeded at all. */
  aliases: ReadonlyMap<string, string> | undefined;
  /** Grants a peer its key as another process does it: known here only once somebody looks, or is told. */
  grantElsewhere(
    name: string,
    options: { readonly key: number; readonly storedMs?: number; readonly roles?: readonly Role[] },
  ): void;
  /** What is known, for who judges again only when it is another. */
  basis(): number;
  /** Says that what was granted elsewhere, or set as secrets, is known now. */
  learn(): void;
  /** Looks for grants that come to nothing before one that does. */
  vainLooks: number;
  /** How often somebody looked for grants, and for secrets. */
  readonly looks: { readonly grants: number; readonly secrets: number };
  /** How many signatures were checked. */
  readonly checkedCount: number;
  peer(name: string, options?: PeerOptions): TrustedPeer;
}

/** Creates the workspace with one active secret `s1`. */
export function createTrustedWorkspace(bounds = { capacityCount: 1000, capacityBytes: 1e8 }): TrustedWorkspace {
  const clock = createFakeClock();
  const randomness = createSeededRandomness(11);
  const grants = new Map<string, Stored<Grant>[]>();
  const elsewhere: (() => void)[] = [];
  const checks = createRecordChecks();
  const directory: GrantLookup = {
    grantedPeers: () => [...grants.keys()],
    grants: (peer) => grants.get(peer) ?? [],
  };
  const resolution = createSignerResolution({
    ...{ ws: trustedWorkspace, rootPublic: root.nkey, checks },
    directory,
    floor: { judge: () => 'known', raise: () => {} },
  });
  const signatures = createSignatureCheck({
    ...{ verifier: checks.verifier, resolution },
    rolesFor: (subject, { workspaceid, agentid, sessionid = '' }) => ({
      roles: rolesThatMayPublish(subject, { workspace: workspaceid, peer: agentid, session: sessionid }),
    }),
  });
  const state = {
    policy: { acceptPlain: false, acceptUnsigned: false } as ReceivePolicy,
    secrets: [
      {
        id: 's1',
        secret: createSecret(utf8('a secret of the workspace acme')),
        state: 'active',
        openOnlyUntilMs: null,
      },
    ] as readonly WorkspaceSecretEntry[] | undefined,
    aliases: undefined as ReadonlyMap<string, string> | undefined,
    checkedCount: 0,
    isRootKnown: true,
    vainLooks: 0,
  };
  let version = 0;
  let seen = state.secrets;
  const source: SecretSource = {
    secrets: () => state.secrets,
    version() {
      if (seen !== state.secrets) version++;
      seen = state.secrets;
      return version;
    },
  };
  const buffer = createMessageBuffer(bounds);
  const reader = createEnvelopeReader();
  const opener = createEnvelopeOpener({
    registry: createSecretRegistry({ source, clock, aliases: () => state.aliases ?? noAliases }),
    workspace: trustedWorkspace,
  });
  const quarantine = createQuarantine({ onChange: () => {} });
  const looks = { grants: 0, secrets: 0 };
  const changeListeners = new Set<() => void>();
  let knownVersion = 0;
  let [basisNow, basisCount] = ['', 0];
  function learn(): void {
    for (const one of elsewhere.splice(0)) one();
    knownVersion++;
    for (const listener of changeListeners) listener();
  }
  function secretOf(keyId: string): WorkspaceSecretEntry | undefined {
    const alias = state.aliases?.get(keyId);
    return state.secrets?.find(({ id }) => (alias === undefined ? keyId.startsWith(`${id}.`) : id === alias));
  }
  const knowledge: TrustKnowledge = {
    version: () => knownVersion,
    basisOf: (want) =>
      want.kind === 'grant'
        ? `${state.isRootKnown} ${grants.get(want.peer)?.length}`
        : `${secretOf(want.keyId)?.id} ${secretOf(want.keyId)?.state}`,
    get followsAliases() {
      return state.aliases !== undefined;
    },
    look: () => {},
    seekGrants() {
      looks.grants++;
      if (state.vainLooks > 0) state.vainLooks--;
      else if (elsewhere.length > 0) learn();
    },
    seekSecrets() {
      looks.secrets++;
    },
    onChange(listener) {
      changeListeners.add(listener);
      return toDisposable(() => changeListeners.delete(listener));
    },
  };
  const judging: Pick<StoredJudgeDeps, 'workspace' | 'policy' | 'checkSignature'> = {
    ...{ workspace: trustedWorkspace, policy: () => state.policy },
    checkSignature(envelope, subject, atMs) {
      state.checkedCount++;
      return state.isRootKnown ? signatures.check(envelope, subject, atMs) : undefined;
    },
  };
  const intake = createIntake({
    ...{ ...judging, buffer, reader, subjects: createSubjectReader(), opener, quarantine, clock, knowledge },
    contentProblem: recordProblem,
  });
  const judge = createStoredJudge({ ...judging, reader, opener, knowledge });
  const senders = createSecretRegistry({ source, clock });
  let keys = 1;

  function foreignSealer(keyid: string): EnvelopeSealer {
    const aliases = new Map([[keyid, 's1']]);
    const found = createSecretRegistry({ source, clock, aliases: () => aliases }).keyFor(keyid, '');
    if (found.kind === 'failed') throw new TypeError(found.failure.why);
    const { key } = found;
    return {
      seal(fields, bytes) {
        const nonce = randomness.bytes(12);
        const sealed = sealGcm({ key, nonce, aad: utf8(aadOf(fields)), bytes });
        return { seal: { encalg: 'AES-256-GCM', keyid, nonce: toHex(nonce) }, sealed };
      },
      use: () => undefined,
    };
  }

  function peer(name: string, options: PeerOptions = {}): TrustedPeer {
    const { roles = ['worker'], key = ++keys, kind = 'e', session = `${name}-1-${kind}` } = options;
    const { isSealing = true, isSigning = true, isGranted = true } = options;
    if (isGranted && !grants.has(name)) {
      const record = grantWith({ peer: name, sign: signerOf(key).nkey, roles: [...roles], queues: ['q'] });
      grants.set(name, [{ record, storedMs: 0 }]);
    }
    const signer = signerOf(key);
    const ownSealer = createEnvelopeSealer({ registry: senders, peer: name, clock, randomness });
    const sealer = options.keyId === undefined ? ownSealer : foreignSealer(options.keyId);
    const author = createEnvelopeAuthor({
      ...{ workspace: trustedWorkspace, peer: name, session, kind, clock, randomness },
      heads: createMemoryHeadStore(),
      ...(isSealing ? { sealer } : {}),
      ...(isSigning ? { signer } : {}),
    });
    return {
      ...{ author, session, signer, sealer },
      write(payload, verb = 'status', subject = `vak.events.${trustedWorkspace}.${session}.${verb}`, more = {}) {
        let data = new Uint8Array();
        const draft = { subject, payload: utf8(JSON.stringify(payload)), trace: startTrace(randomness.bytes) };
        const envelope = author.publish({ ...draft, ...more }, (bytes) => {
          data = Uint8Array.from(bytes);
        });
        return { subject, data, envelope };
      },
    };
  }

  return {
    ...{ clock, randomness, buffer, reader, opener, intake, judge, judging, quarantine, peer, learn, looks },
    grants: directory,
    basis() {
      const now = `${knownVersion} ${state.isRootKnown} ${source.version()}`;
      if (now !== basisNow) basisCount++;
      basisNow = now;
      return basisCount;
    },
    resolve: (question) => (state.isRootKnown ? resolution.resolveSigner(question) : undefined),
    grantElsewhere(name, { key, storedMs = 0, roles = ['worker'] }) {
      const before = grants.get(name) ?? [];
      const serial = before.length + 1;
      const record = grantWith({ peer: name, sign: signerOf(key).nkey, roles: [...roles], queues: ['q'], serial });
      elsewhere.push(() => grants.set(name, [...before, { record, storedMs }]));
    },
    get policy() {
      return state.policy;
    },
    set policy(next) {
      state.policy = next;
    },
    get isRootKnown() {
      return state.isRootKnown;
    },
    set isRootKnown(next) {
      state.isRootKnown = next;
    },
    get vainLooks() {
      return state.vainLooks;
    },
    set vainLooks(next) {
      state.vainLooks = next;
    },
    get secrets() {
      return state.secrets;
    },
    set secrets(next) {
      state.secrets = next;
    },
    get aliases() {
      return state.aliases;
    },
    set aliases(next) {
      state.aliases = next;
    },
    get checkedCount() {
      return state.checkedCount;
    },
  };
}
