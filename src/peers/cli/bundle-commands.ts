/** `vak bundle verify|open`: incident bundles, wherever they come from (docs/spec/triage.md D11). */
import { decodeNkey } from '../../engine/identity/nkey.ts';
import {
  type BundleCheckOptions,
  type BundleLineVerdict,
  type BundleSummary,
  checkBundle,
  rootUnlessOther,
} from '../../engine/triage/bundle-check.ts';
import { bundleBounds, bundleSizeWords } from '../../engine/triage/bundle-format.ts';
import { unvouched } from '../../engine/triage/bundle-integrity.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { partText, partValue } from './bundle-lines.ts';
import { type CliHost, type Command, type CommandInput, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { openInputFile } from './input-file.ts';

/** A root that was given. Throws `invalid-input`. */
function checkRoot(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    decodeNkey(text, '--root');
    return text;
  } catch (cause) {
    const message = `--root: found ${text.length} characters, allowed: a public nkey (U…), as vak id show prints it`;
    throw new VakError('invalid-input', message, { cause });
  }
}

/** Runs with what tells the root of a workspace: the one that was given, else the profile's. */
async function withRoot<T>(
  { common, option }: CommandInput,
  host: CliHost,
  work: (rootOf: BundleCheckOptions['rootOf']) => Promise<T>,
): Promise<T> {
  const given = checkRoot(option('root'));
  if (given !== undefined) return await work(() => given);
  return await withEnvelopeWorkspace({ common, wanted: 'grants' }, host, async ({ open }) => {
    const known = open?.contents().workspaces ?? [];
    return await work((name, claimed) =>
      rootUnlessOther(known.find(({ workspace }) => workspace === name)?.rootPublic, claimed),
    );
  });
}

type OnLine = BundleCheckOptions['onLine'];

/** Looks through the file as often as it takes. Throws `invalid-input`, `limit-exceeded`, `aborted`. */
async function checkFile(
  path: string,
  { rootOf, onLine }: { readonly rootOf: BundleCheckOptions['rootOf']; readonly onLine: OnLine },
  { signal }: CliHost,
): Promise<BundleSummary> {
  const handle = await openInputFile(path);
  try {
    const { size } = await handle.stat();
    if (size > bundleBounds.fileBytes) {
      throw new VakError('limit-exceeded', `FILE: ${bundleSizeWords(size)}`);
    }
    const open = () => handle.createReadStream({ autoClose: false, start: 0 });
    return await checkBundle({ open, rootOf, onLine, signal });
  } finally {
    await handle.close();
  }
}

function verdictText({ line, kind, isOk, errors, envelope, proof }: BundleLineVerdict): string {
  const said = isOk ? 'ok' : 'NOT OK';
  const what =
    envelope === undefined
      ? ''
      : `  ${envelope.type}  by ${envelope.by}  ${signatureWords[envelope.signature]}${envelope.isProven ? ', in its chain' : ''}`;
  const places = proof === undefined ? '' : `  ${proof.source}  places ${proof.from}–${proof.to}`;
  return visibleText(`${line}  ${kind}  ${said}${what}${places}${errors.map((one) => `  ${one}`).join('')}`);
}

const signatureWords = {
  valid: 'signed as granted',
  sound: 'signature sound, signer unknown here',
  unsigned: 'not signed',
  invalid: 'signature not valid',
} as const;

function verdictValue({ line, kind, isOk, errors, envelope, proof }: BundleLineVerdict) {
  return {
    ...{ line, kind, ok: isOk, errors },
    ...(envelope === undefined ? {} : { envelope }),
    ...(proof === undefined ? {} : { proof }),
  };
}

function summaryValue(summary: BundleSummary) {
  const { isOk, isSound, manifest, signature, errors } = summary;
  const { lineCount, badLineCount, envelopeCount, validCount, soundCount, provenCount } = summary;
  const { ws = null, peer = null, operationId = null, createdAt = null } = manifest ?? {};
  return {
    ...{ ok: isOk, sound: isSound, ws, peer, operationId, createdAt, signature: signature?.kind ?? null },
    ...{ signer: signature?.signer ?? null, lines: lineCount, bad: badLineCount, envelopes: envelopeCount },
    ...{ granted: validCount, unknownSigner: soundCount, proven: provenCount, errors },
  };
}

function summaryText(summary: BundleSummary): string {
  const { isOk, isSound, manifest, signature, errors } = summary;
  const { lineCount, badLineCount, envelopeCount, validCount, provenCount } = summary;
  const said = isOk ? 'ok' : isSound ? 'signature sound, signer unknown here: give --root' : 'not ok';
  const who =
    manifest === undefined ? 'no manifest' : `workspace ${manifest.ws}, by ${manifest.peer}, ${manifest.createdAt}`;
  const signed = signature === undefined ? '' : `, ${signatureWords[signature.kind]}`;
  const counts = `lines ${lineCount}, bad ${badLineCount}, envelopes ${envelopeCount}, signed as granted ${validCount}, in their chains ${provenCount}`;
  return [`${said}  ${who}${signed}  ${counts}`, ...errors].map(visibleText).join('\n');
}

const rootOption = { root: { value: 'KEY', help: "the workspace's root (U…); the profile's own if not given" } };
const rootNotes = `Who signed is told by the grants in the bundle, under the root that --root gives, or that this profile has for the workspace; without
one it is said that the signature is sound and the signer unknown here. vak id show prints the root.`;
const bundleNeed = 'incident.vakbundle (example of vak dlq export)';

const verify: Command = {
  words: ['bundle', 'verify'],
  changes: 'nothing',
  args: ['FILE'],
  options: rootOption,
  summary:
    'Verifies an incident bundle line by line: each as it was signed, each envelope by hash, signature and proof.',
  notes: `Prints {line, kind, ok, errors, envelope?: {id, type, by, leaf, isSealed, payload: ok|changed|withheld, signature: valid|sound|unsigned|
invalid, signer, isProven}, proof?: {source, from, to, signature}}, one a line, then a summary {ok, sound, ws, peer, operationId,
createdAt, signature, signer, lines, bad, envelopes, granted, unknownSigner, proven, errors}. ${rootNotes} What was opened is in it in the
words of whoever made it, under their signature; what is sealed opens only with the workspace's secrets. Exit code 1 if anything is
not as it was signed, or the signer is not known.`,
  needs: bundleNeed,
  example: 'vak bundle verify incident.vakbundle',
  async run(input, host) {
    const [path = ''] = input.args;
    const { output } = host;
    const onLine = async (one: BundleLineVerdict): Promise<void> => {
      output.data(verdictValue(one), verdictText(one));
      // Not faster than it is read.
      await output.isTaken();
    };
    const summary = await withRoot(input, host, (rootOf) => checkFile(path, { rootOf, onLine }, host));
    output.data(summaryValue(summary), summaryText(summary));
    return summary.isOk ? exitCodes.done : exitCodes.no;
  },
};

const open: Command = {
  words: ['bundle', 'open'],
  changes: 'nothing',
  args: ['FILE'],
  options: rootOption,
  summary: 'Shows what is in an incident bundle, from whatever workspace.',
  notes: `Prints what it holds to be read, or with --json each part {line, kind, ok, …} as it stands, one a line; envelopes, grants and proofs are
for vak bundle verify and left out of the text. What is not as it was signed is said on stderr, with its line. ${rootNotes} Exit code 1
as vak bundle verify.`,
  needs: bundleNeed,
  example:
    'vak bundle open incident.vakbundle\nvak bundle open incident.vakbundle --json | jq -r \'select(.kind == "letter") | .report.reasonText\'',
  async run(input, host) {
    const [path = ''] = input.args;
    const { output } = host;
    const isJson = input.isOn('json');
    const summary = await withRoot(input, host, (rootOf) =>
      checkFile(
        path,
        {
          rootOf,
          async onLine(verdict) {
            // That the file was cut off is said once, at the end.
            for (const why of verdict.errors.filter((one) => one !== unvouched))
              output.talk(`vak: line ${verdict.line}: ${why}`);
            const text = isJson ? '' : partText(verdict);
            if (isJson) output.data(partValue(verdict), '');
            else if (text !== '') output.print(`${text}\n`);
            await output.isTaken();
          },
        },
        host,
      ),
    );
    for (const line of summaryText(summary).split('\n')) output.talk(line);
    return summary.isOk ? exitCodes.done : exitCodes.no;
  },
};

export const bundleCommands: readonly Command[] = [verify, open];
