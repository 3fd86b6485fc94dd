/** `vak envelope seal|open|verify|convert`: one envelope from stdin, by hand (protocol.md E1–E13). */
import { createEnvelopeOpener } from '../../engine/envelope/open-envelope.ts';
import { createSecretRegistry, type WorkspaceSecretEntry } from '../../engine/envelope/secret-registry.ts';
import { toBase64, toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { aadOf } from '../../shared/protocol/envelope-aad.ts';
import { encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { isKeyId } from '../../shared/protocol/key-id.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import { encodeVakRs } from '../../shared/protocol/vak-rs-codec.ts';
import { keyAliasesOf } from '../../shared/settings/key-aliases.ts';
import { type CliHost, type Command, type ExitCode, exitCodes } from './command.ts';
import { envelopeSeal } from './envelope-seal.ts';
import { judgeBytes } from './envelope-verdict.ts';
import { checkSources, withEnvelopeWorkspace } from './envelope-workspace.ts';
import { passNeed, secretNeed } from './example-needs.ts';
import { jsonTextOf } from './message-line.ts';
import { isWrapped, readMessage, wrappedError } from './message-reading.ts';
import { readOneValue } from './standard-input.ts';

/** The envelope on stdin, on either wire. Throws `invalid-payload` that names the field. */
async function readEnvelope(host: CliHost): Promise<Envelope> {
  const bytes = await readOneValue(host.input(), host.signal);
  if (isWrapped(bytes)) throw wrappedError('stdin');
  return readMessage(bytes).envelope;
}

/** Aliases of `--alias KEYID=ID`. Throws `invalid-input`. */
function readAliases(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const [keyId = '', id = '', ...more] = text.split('=');
      if (isKeyId(keyId) && isToken(id) && more.length === 0) return [keyId, id] as const;
      throw new VakError(
        'invalid-input',
        '--alias: expected KEYID=ID, a key id and the id of a secret, e.g. key_v1=env',
      );
    }),
  );
}

/** One line of JSON, put together by hand so that no number of the payload is altered (E3). */
function openedText(envelope: Envelope, payload: OpenedPayload): string {
  const { seal } = envelope;
  const sealed = { keyid: seal?.keyid ?? null, aad: seal === undefined ? null : aadOf(envelope) };
  if (payload.kind === 'failed') {
    const nothing = { payload: null, payload_base64: null, bytes: 0 };
    return JSON.stringify({ ...nothing, ...sealed, failure: payload.failure });
  }
  const { bytes } = payload;
  const rest = JSON.stringify({ payload_base64: toBase64(bytes), bytes: bytes.length, ...sealed });
  return `{"payload":${jsonTextOf(bytes) ?? 'null'},${rest.slice(1)}`;
}

interface Opening {
  readonly secrets: readonly WorkspaceSecretEntry[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly workspace: string;
  readonly host: CliHost;
}

function openEnvelope(envelope: Envelope, { secrets, aliases, workspace, host }: Opening): OpenedPayload {
  const source = { secrets: () => secrets, version: () => 0 };
  const opener = createEnvelopeOpener({
    registry: createSecretRegistry({ source, clock: host.clock, aliases: () => aliases }),
    workspace,
  });
  const payload = opener.open(envelope);
  if (payload.kind === 'opened') return payload;
  return { kind: 'failed', failure: opener.diagnose(envelope, { subject: envelope.subject ?? '' }) };
}

const open: Command = {
  words: ['envelope', 'open'],
  changes: 'nothing',
  args: [],
  options: {
    alias: { value: 'KEYID=ID', isMultiple: true, help: 'opens that foreign key id with the secret of that id' },
  },
  summary: 'Opens the payload of the envelope on stdin.',
  notes: `Prints {payload, payload_base64, bytes, keyid, aad}: payload is the JSON that was sealed, its digits untouched, or null if it is no
JSON; payload_base64 holds it in any case. The envelope itself is not printed again: without its seal its hash and signature
would no longer fit. If it does not open, exit code 1 and {…, failure: {kind, why, culprit}}. The secret of the environment
has the id env; those of the profile are used too, if VAK_PASSPHRASE_FILE is set.`,
  needs: `${secretNeed}; sealed.json is what the example of vak envelope seal writes, or an envelope whose key id is key_v1`,
  example: 'VAK_WORKSPACE_SECRET_FILE=~/secret vak envelope open --alias key_v1=env < sealed.json',
  async run({ common, options }, host) {
    const aliases = readAliases(options('alias'));
    const envelope = await readEnvelope(host);
    const { workspace } = common;
    if (envelope.seal === undefined) {
      await checkSources(common, host);
      host.output.print(`${openedText(envelope, openEnvelope(envelope, { secrets: [], aliases, workspace, host }))}\n`);
      return exitCodes.done;
    }
    return await withEnvelopeWorkspace({ common, wanted: 'secrets' }, host, ({ secrets, profile }): ExitCode => {
      // What the line says goes before what is set.
      const all = new Map([...keyAliasesOf(profile.settings.settings().keyAliases), ...aliases]);
      const payload = openEnvelope(envelope, { secrets, aliases: all, workspace, host });
      host.output.print(`${openedText(envelope, payload)}\n`);
      return payload.kind === 'opened' ? exitCodes.done : exitCodes.no;
    });
  },
};

const verify: Command = {
  words: ['envelope', 'verify'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Checks the envelope on stdin: its form, its hash, its signature.',
  notes: `Prints {ok, wire, leaf, payloadhash, payloadhashOk, aad?, sealed, signature: {state, grant, signer?}, errors}. wire: cloudevents,
vak-rs, or unknown for what does not decode. state: unsigned, valid, invalid, unknown-signer. Exit code 1 if not ok. Plain and
unsigned are not errors: that is the workspace's policy. A signature is checked without any profile; where the profile knows
the workspace (--workspace, VAK_PASSPHRASE_FILE), it must also be that of a key that is granted what it signed, now. grant says
which it was: judged, or not-judged; where a signature is valid and its grant is not judged, stderr says why. A profile or a
VAK_PASSPHRASE_FILE that is named and not there is exit code 2, and so is a line of vak subscribe --open or vak stream view: of
that the field envelope is the envelope.`,
  needs: `message.json holds one envelope of the workspace, as vak subscribe --count 1 prints it; ${passNeed}`,
  example:
    'vak envelope verify < message.json\nVAK_PASSPHRASE_FILE=~/pass vak envelope verify < message.json | jq -e \'.ok and .signature.grant == "judged"\'',
  async run({ common }, host) {
    const bytes = await readOneValue(host.input(), host.signal);
    if (isWrapped(bytes)) throw wrappedError('stdin');
    return await withEnvelopeWorkspace({ common, wanted: 'grants' }, host, ({ open: workspace, whyClosed }) => {
      const verdict = judgeBytes(bytes, { open: workspace, atMs: host.clock.now() });
      const { state, grant } = verdict.signature;
      if (state === 'valid' && grant === 'not-judged') host.output.talk(`vak: the grant is not judged: ${whyClosed}`);
      host.output.data(verdict, JSON.stringify(verdict));
      return verdict.ok ? exitCodes.done : exitCodes.no;
    });
  },
};

const encoders: Readonly<Record<string, (envelope: Envelope) => Uint8Array>> = {
  cloudevents: encodeEnvelope,
  'vak-rs': encodeVakRs,
};

const convert: Command = {
  words: ['envelope', 'convert'],
  changes: 'nothing',
  args: [],
  options: { to: { value: 'WIRE', help: 'cloudevents or vak-rs' } },
  summary: 'Writes the envelope on stdin in the other form.',
  notes: `cloudevents: CloudEvents JSON, structured mode. vak-rs: the JSON of the Rust crate vak-bus. What the other form has no place for
is refused, not dropped: vak-rs has none for a signature, causationid, resumes and foreign attributes, so that what peers of a
workspace say, which is signed, stays CloudEvents.`,
  needs: 'plain.json holds one envelope with a traceparent and without a signature',
  example:
    'vak envelope convert --to vak-rs < plain.json > vak-rs.json\nvak envelope convert --to cloudevents < vak-rs.json',
  async run({ option }, host) {
    const to = option('to');
    const encode = to === undefined || !Object.hasOwn(encoders, to) ? undefined : encoders[to];
    if (encode === undefined) {
      throw new VakError('invalid-input', `--to: allowed: ${Object.keys(encoders).join(', ')}`);
    }
    host.output.print(`${toText(encode(await readEnvelope(host)))}\n`);
    return undefined;
  },
};

export const envelopeCommands: readonly Command[] = [envelopeSeal, open, verify, convert];
