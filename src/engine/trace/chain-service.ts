/**
 * The calls of the Trace view about chains (docs/spec/trace.md T6–T9).
 * Law: it reads the bus and changes nothing on it; a file is written only where the person at the machine says, and only a proof that holds.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type {
  ChainCheckpoint,
  ChainReport,
  ChainRestart,
  ChainSource,
  CheckpointState,
} from '../../shared/contract/chain-report.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { traceContract } from '../../shared/contract/trace-contract.ts';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import { fileError } from '../identity/file-error.ts';
import type { GrantLookup } from '../ports/directory.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { checkBundleProof } from '../triage/bundle-envelope-check.ts';
import { type BundleProof, bundleLineBytes } from '../triage/bundle-format.ts';
import { createBundleSigners } from '../triage/bundle-signers.ts';
import { createProofGathering } from '../triage/chain-proof.ts';
import { maxProofBytes, parseProof, workspaceOfProof } from '../triage/proof-file.ts';
import { analyseChain, type ChainAnalysis } from './chain-analysis.ts';
import { type ChainGatheringDeps, chainStreams, type GatheredChain, gatherChain } from './chain-gathering.ts';
import { refusalOf } from './chain-record.ts';
import { readStreams } from './stream-search.ts';

type Calls = Services<{ readonly trace: typeof traceContract }>['trace'];
type ChainCalls = Pick<Calls, 'sources' | 'chain' | 'prove' | 'checkProof'>;

/** What a call of one asker is done with. */
type ChainLooking = (signal: AbortSignal) => ChainGatheringDeps;

export interface ChainServiceDeps {
  readonly looking: ChainLooking;
  readonly now: () => number;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile' | 'chooseOpenFile'>;
  readonly workspace: string;
  /** Root of a workspace, as the profile knows it. */
  readonly rootOf: (workspace: string) => string | undefined;
  readonly grants: GrantLookup;
}

/** Entries of each list that are told. */
const maxListed = 200;
const maxSources = 1_000;

const kinds: ReadonlySet<string> = new Set(['e', 'q', 'd']);

function partsOf(source: string): Pick<ChainSource, 'peer' | 'session' | 'kind'> {
  const parts = parseSource(source);
  if (parts === undefined) return { peer: null, session: null, kind: null };
  const { peer, session } = parts;
  const end = session.slice(session.lastIndexOf('-') + 1);
  return { peer, session, kind: kinds.has(end) ? (end as ChainKind) : null };
}

async function listSources(deps: ChainGatheringDeps, nowMs: number) {
  const found = new Map<string, ChainSource>();
  const searches = await readStreams(chainStreams, deps, ({ data, storedMs }) => {
    const read = deps.reader.read(data);
    if (read.kind !== 'envelope') return;
    const { source } = read.envelope;
    const known = found.get(source);
    const { count, lastMs } = known ?? { count: 0, lastMs: storedMs };
    found.set(source, {
      ...(known ?? { source, ...partsOf(source) }),
      ...{ count: count + 1, lastMs: Math.max(lastMs, storedMs) },
    });
  });
  const all = [...found.values()].sort((a, b) => b.lastMs - a.lastMs);
  const leftOutCount = Math.max(0, all.length - maxSources);
  return { sources: all.slice(0, maxSources), leftOutCount, searches, readAtMs: nowMs };
}

const cut = <T>(list: readonly T[]): T[] => list.slice(0, maxListed);

function stateOf(
  { why, seq, head }: Omit<ChainCheckpoint, 'state'>,
  leavesAt: ChainAnalysis['leavesAt'],
): CheckpointState {
  if (why !== null) return 'refused';
  const leaves = leavesAt(seq);
  if (leaves.length === 0) return 'unseen';
  return leaves.includes(head) ? 'matches' : 'contradicts';
}

/** Chains that name one of this as before them, with what is here at that place. */
function restartsOf(followers: GatheredChain['followers'], leavesAt: ChainAnalysis['leavesAt']): ChainRestart[] {
  return followers.map((one): ChainRestart => {
    const leaves = leavesAt(one.seq);
    const state = leaves.includes(one.leaf) ? 'matches' : leaves.length === 0 ? 'unseen' : 'other';
    return { ...one, state };
  });
}

async function look(source: string, deps: ChainGatheringDeps, nowMs: number): Promise<ChainReport> {
  const gathered = await gatherChain(source, deps);
  const { records, named, searches, leftOutCount } = gathered;
  const voids = gathered.voids.toSorted((a, b) => a.seq - b.seq);
  const said = gathered.checkpoints.toSorted((a, b) => a.seq - b.seq);
  const leaves = new Map(voids.map(({ seq, leaf }): [number, string] => [seq, leaf]));
  const counting = said.filter(({ why }) => why === null);
  const { leavesAt, ...analysis } = analyseChain(records, leaves, counting);
  const checkpoints = said.map((one) => ({ ...one, state: stateOf(one, leavesAt) }));
  const refused = records.flatMap(({ why, seq, side: { id, storedMs } }) =>
    why === null ? [] : [{ seq, id, storedMs, why }],
  );
  const resumedBy = restartsOf(gathered.followers, leavesAt);
  const { verified, faults, forks, missing } = analysis;
  const lists = [verified, faults, forks, missing, voids, checkpoints, refused, resumedBy];
  return {
    ...{ source, ...partsOf(source), ...analysis, resumes: named, searches, leftOutCount, readAtMs: nowMs },
    ...{ verified: cut(verified), faults: cut(faults), forks: cut(forks), missing: cut(missing), voids: cut(voids) },
    // The newest of them: it is the end of a chain that is looked at.
    ...{ refused: cut(refused), resumedBy: cut(resumedBy), checkpoints: checkpoints.slice(-maxListed) },
    isCut: lists.some(({ length }) => length > maxListed),
  };
}

/** The proof of a place, out of what counts. Throws `not-found`. */
async function gatherProof(source: string, seq: number, deps: ChainGatheringDeps): Promise<BundleProof> {
  const gathering = createProofGathering({ source, seq });
  await readStreams(chainStreams, deps, (message) => {
    const read = deps.reader.read(message.data);
    if (read.kind !== 'envelope') return;
    const isOf = read.envelope.source === source || read.envelope.type === 'vak.audit.checkpoint';
    if (isOf && refusalOf(read, message, deps) === null) gathering.note(read.envelope, message.data);
  });
  return gathering.proof();
}

/** A proof's file, whatever it is. Throws `invalid-input`, `limit-exceeded`, and what reading throws. */
async function readProofFile(path: string): Promise<BundleProof> {
  try {
    const { size } = await stat(path);
    if (size > maxProofBytes) throw new VakError('limit-exceeded', `proof: it has more than ${maxProofBytes} bytes`);
    return parseProof(await readFile(path), 'proof');
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** Creates the calls. */
export function createChainService({ looking, now, prompt, workspace, rootOf, grants }: ChainServiceDeps): ChainCalls {
  function checked(proof: BundleProof) {
    const ws = workspaceOfProof(proof) ?? workspace;
    // What is known of who is granted what is of this workspace.
    const root = ws === workspace ? rootOf(ws) : undefined;
    const { finding, errors } = checkBundleProof(proof, createBundleSigners({ ws, root, grants }));
    const stranger = finding?.signature === 'sound' ? ['Whose key signed the checkpoint is not known here.'] : [];
    return { finding, errors: [...errors, ...stranger].map((one) => visibleText(one)) };
  }

  return {
    sources: (_asked, { signal }) => listSources(looking(signal), now()),
    chain: ({ source }, { signal }) => look(source, looking(signal), now()),
    async prove({ source, seq }, { signal }) {
      const proof = await gatherProof(source, seq, looking(signal));
      const { finding, errors } = checked(proof);
      if (finding === undefined || errors.length > 0)
        throw new VakError('conflict', `chain prove: what is here proves nothing: ${errors.join(' ')}`);
      const { from: fromSeq, to: toSeq } = finding;
      const title = `Save the proof that envelope ${seq} lies in its chain`;
      const path = await prompt.chooseSaveFile({ title, defaultName: `proof-${seq}.json` });
      try {
        await writeFileAtomically(path, bundleLineBytes(proof));
      } catch (error) {
        throw fileError('write', path, error);
      }
      return { path, fromSeq, toSeq };
    },
    async checkProof() {
      const path = await prompt.chooseOpenFile({ title: 'Check an inclusion proof' });
      const proof = await readProofFile(path);
      const { finding, errors } = checked(proof);
      const range = finding === undefined ? null : { fromSeq: finding.from, toSeq: finding.to };
      return {
        ...{ name: visibleText(basename(path)), isOk: errors.length === 0, source: visibleText(proof.source) },
        ...{ range, signature: finding?.signature ?? null, errors },
      };
    },
  };
}
