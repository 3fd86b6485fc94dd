/** `vak chain prove|check`: that an envelope lies in its sender's chain, shown to somebody who has nothing else of it (protocol.md E14). */
import { leafOf } from '../../engine/envelope/hashing.ts';
import { checkBundleProof, type ProofFinding } from '../../engine/triage/bundle-envelope-check.ts';
import { type BundleProof, bundleLineBytes } from '../../engine/triage/bundle-format.ts';
import { type BundleSigners, createBundleSigners } from '../../engine/triage/bundle-signers.ts';
import { createProofGathering } from '../../engine/triage/chain-proof.ts';
import { maxProofBytes, parseProof, workspaceOfProof } from '../../engine/triage/proof-file.ts';
import { toText } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { openEnvelopeLines } from './chain-input.ts';
import { type CliHost, type Command, type CommandInput, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { openInputFile } from './input-file.ts';
import { isWrapped, readMessage, wrappedError } from './message-reading.ts';

const maxLineBytes = 1024 * 1024;

function readSeq(text: string | undefined): number {
  const seq = Number(text);
  if (text !== undefined && /^\d+$/.test(text) && Number.isSafeInteger(seq)) return seq;
  throw new VakError('invalid-input', '--seq: the place of the envelope in its chain is needed, its seqnum');
}

export const proveCommand: Command = {
  words: ['chain', 'prove'],
  changes: 'nothing',
  args: ['[FILE]'],
  options: {
    seq: { value: 'N', help: 'its place in its chain (seqnum)' },
    source: { value: 'SOURCE', help: 'its chain; may be left out where only one has that place' },
  },
  summary: 'Proves that an envelope lies in its sender’s chain, from a file of envelopes or stdin.',
  notes: `Prints the proof, one JSON object {kind: proof, source, checkpoint, leaves}: the leaf inputs of the envelopes from it to the next signed
checkpoint of its chain (at most 257, as senders make one for each 256), and that checkpoint. It holds no payload but the checkpoint's.
All of these must be in the input, in whatever order; exit code 1 says which place or checkpoint is not. Lines that are no envelopes are passed over.`,
  needs: 'messages.ndjson holds envelopes, one a line, as vak subscribe prints them, with a checkpoint after place 0',
  example: 'vak chain prove messages.ndjson --seq 0 > proof.json',
  async run({ args: [path], option }, host) {
    const gathering = createProofGathering({ seq: readSeq(option('seq')), source: option('source') });
    for await (const line of openEnvelopeLines(path, { maxBytes: maxLineBytes }, host)) {
      if (line.kind === 'too-long') continue;
      try {
        gathering.note(readMessage(line.bytes).envelope, line.bytes);
      } catch (error) {
        if (!isVakError(error)) throw error;
        if (isWrapped(line.bytes)) throw wrappedError(`line ${line.number}`);
      }
    }
    host.output.print(toText(bundleLineBytes(gathering.proof())));
    return exitCodes.done;
  },
};

/** A file's bytes. Throws `invalid-input`, `limit-exceeded`. */
async function readFileBytes(path: string, field: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await openInputFile(path, field);
  try {
    const { size } = await handle.stat();
    if (size <= maxBytes) return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
  throw new VakError('limit-exceeded', `${field}: the file has more than ${maxBytes} bytes`);
}

const readProof = async (path: string): Promise<BundleProof> =>
  parseProof(await readFileBytes(path, 'PROOF', maxProofBytes), 'PROOF');

/** Runs with who signs there, as far as the profile knows. */
async function withSigners<T>(
  { common }: CommandInput,
  { proof, host }: { readonly proof: BundleProof; readonly host: CliHost },
  work: (signers: BundleSigners) => T,
): Promise<T> {
  const ws = workspaceOfProof(proof) ?? common.workspace;
  return await withEnvelopeWorkspace(
    { common: { ...common, workspace: ws }, wanted: 'grants' },
    host,
    async ({ open }) => {
      const root = open?.contents().workspaces.find(({ workspace }) => workspace === ws)?.rootPublic;
      return work(
        createBundleSigners({ ws, root, grants: open?.directory ?? { grants: () => [], grantedPeers: () => [] } }),
      );
    },
  );
}

interface Verdict {
  readonly ok: boolean;
  readonly source: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly signature: ProofFinding['signature'] | null;
  /** Place of the given envelope; null: none was given, or it is not in the proof. */
  readonly at: number | null;
  readonly errors: readonly string[];
}

function verdictOf(proof: BundleProof, signers: BundleSigners, leaf: string | undefined): Verdict {
  const { finding, errors } = checkBundleProof(proof, signers);
  const index = leaf === undefined ? -1 : (finding?.leaves.indexOf(leaf) ?? -1);
  const all = [
    ...errors,
    ...(finding?.signature === 'sound' ? ['Whose key signed the checkpoint is not known here.'] : []),
    ...(leaf !== undefined && index === -1 ? ['The envelope is not among what it proves.'] : []),
  ];
  return {
    ...{ ok: all.length === 0, source: proof.source, from: finding?.from ?? null, to: finding?.to ?? null },
    ...{ signature: finding?.signature ?? null, errors: all },
    at: finding === undefined || index === -1 ? null : finding.from + index,
  };
}

function verdictText({ ok, source, from, to, at, errors }: Verdict): string {
  const places = from === null ? '' : `  places ${from}–${to}`;
  const place = at === null ? '' : `  the envelope is at ${at}`;
  return visibleText(`${ok ? 'ok' : 'not ok'}  ${source}${places}${place}${errors.map((one) => `  ${one}`).join('')}`);
}

export const checkCommand: Command = {
  words: ['chain', 'check'],
  changes: 'nothing',
  args: ['PROOF'],
  options: { envelope: { value: 'FILE', help: 'also checks that this envelope is among what is proven' } },
  summary: 'Checks what vak chain prove printed.',
  notes: `Prints {ok, source, from, to, signature: valid|sound|unsigned|invalid, at, errors}: every leaf input follows the one before, the last is the head that
the checkpoint names, and that is signed by a key that the workspace's root granted, as this profile knows it (sound: by a key that nobody
here knows). at is the place of --envelope. Exit code 1 unless all of it holds.`,
  needs: 'proof.json (example of vak chain prove), of a peer that this profile knows',
  example: 'vak chain check proof.json --json',
  async run(input, host) {
    const { args, option } = input;
    const proof = await readProof(args[0] ?? '');
    const path = option('envelope');
    const given = path === undefined ? undefined : await readFileBytes(path, '--envelope', maxLineBytes);
    const leaf = given === undefined ? undefined : leafOf(readMessage(given).envelope);
    const verdict = await withSigners(input, { proof, host }, (signers) => verdictOf(proof, signers, leaf));
    host.output.data(verdict, verdictText(verdict));
    return verdict.ok ? exitCodes.done : exitCodes.no;
  },
};
