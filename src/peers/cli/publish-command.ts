/** `vak publish`: one signed envelope, by hand (protocol.md E8, E12, E13, W1). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { createEnvelopeAuthor, type EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import { createEnvelopeSealer } from '../../engine/envelope/envelope-sealer.ts';
import { openFileHeadStore } from '../../engine/envelope/file-head-store.ts';
import { isNeverSealed } from '../../engine/envelope/never-sealed.ts';
import { createSecretRegistry } from '../../engine/envelope/secret-registry.ts';
import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { createSessionId } from '../../engine/ports/randomness.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { chainKindOf } from '../../shared/protocol/chain-kind.ts';
import { buildSubject, parseSubject, type SubjectParts, typeOfSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type BusPlace, withBus } from './bus-connection.ts';
import { mayPublish, withDirectory } from './bus-directory.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { type EnvelopeWorkspace, withEnvelopeWorkspace } from './envelope-workspace.ts';
import { contextNeed, serverNeed } from './example-needs.ts';
import { speakingIdentity } from './first-use.ts';
import { nothingKept, publishDurably, publishFlushed, type Sent } from './publish-delivery.ts';
import { contentTypeOf, findMisfit, readPayload } from './publish-payload.ts';
import { checkRights, type Publisher } from './publish-rights.ts';
import { needsOwnSession, ownSession, typedPlanes } from './publish-subject.ts';

interface Wanted {
  readonly parts: SubjectParts;
  readonly type: string;
  readonly isSealed: boolean;
  readonly payload: Uint8Array;
}

/** Throws `invalid-subject`, `invalid-input` for what every receiver would refuse. */
function checkWanted({ parts, type, isSealed }: Omit<Wanted, 'payload'>, { workspace }: CommonOptions): void {
  const rowType = typeOfSubject(parts);
  if (parts.workspace !== workspace) {
    throw new VakError(
      'invalid-subject',
      `SUBJECT: is of workspace ${parts.workspace}; give --workspace ${parts.workspace}`,
    );
  }
  if (type !== rowType && typedPlanes.has(parts.plane)) {
    throw new VakError('invalid-input', `--type: this subject carries ${rowType} alone; leave it out`);
  }
  if (needsOwnSession(parts) && parts.entity !== ownSession) {
    const own = `vak.${parts.plane}.${workspace}.${ownSession}.${parts.verb}`;
    throw new VakError(
      'invalid-input',
      `SUBJECT: names the session of another process, and receivers refuse that (A4); write ${own} for the session of this call`,
    );
  }
  if (isSealed && isNeverSealed(rowType)) {
    throw new VakError('invalid-input', `--sealed: ${rowType} is never sealed (E8); leave it out`);
  }
}

interface Publication extends Wanted {
  readonly publisher: Publisher;
  readonly secrets: EnvelopeWorkspace['secrets'];
  readonly fabric: Fabric;
  readonly place: BusPlace;
}

type Published = Sent & { readonly subject: string };

/** What is published in a session. Throws `forbidden` if the identity may not. */
function draftIn(session: string, { parts, publisher, payload, type }: Publication, host: CliHost): EnvelopeDraft {
  const subject = buildSubject(needsOwnSession(parts) ? { ...parts, entity: session } : parts);
  checkRights(subject, session, publisher);
  const trace = startTrace((length) => host.randomness.bytes(length));
  return { subject, payload, trace, type, contentType: contentTypeOf(payload) };
}

/** Publishes an ephemeral envelope as the first of a new session. */
async function publishLive(wanted: Publication, host: CliHost): Promise<Published> {
  const { clock, randomness, output } = host;
  const { identity, open } = wanted.publisher;
  const { peer } = identity;
  const session = createSessionId(peer, randomness);
  const draft = draftIn(session, wanted, host);
  const held = createDisposer();
  const heads = await openFileHeadStore({
    ...{ path: open.profile.files.heads, clock, randomness },
    report: (error) => output.talk(`vak: ${error.message}`),
  });
  try {
    const signer = held.add(createNkeySigner(identity.signSeed));
    const registry = createSecretRegistry({ source: { secrets: () => wanted.secrets, version: () => 0 }, clock });
    const sealer = createEnvelopeSealer({ registry, peer, clock, randomness });
    const author = createEnvelopeAuthor({
      ...{ workspace: open.workspace, peer, session, kind: 'e', signer, clock, randomness, heads },
      ...(wanted.isSealed ? { sealer } : {}),
    });
    return { ...(await publishFlushed(author, draft, wanted.fabric)), subject: draft.subject };
  } finally {
    held.dispose();
    await heads.close();
  }
}

/** Publishes a durable envelope through the outbox of the identity. */
async function publishStored(wanted: Publication, host: CliHost): Promise<Published> {
  const { fabric, place, isSealed, parts } = wanted;
  const { open, identity } = wanted.publisher;
  const secrets = isSealed ? wanted.secrets : undefined;
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  const asked = { open, identity, secrets, fabric, place, subject: buildSubject(parts) };
  return await withOwnOutbox(asked, host, async (durable) => {
    const draft = draftIn(durable.session(chainKindOf(parts) === 'q' ? 'q' : 'd'), wanted, host);
    return { ...(await publishDurably(durable, draft, host)), subject: draft.subject };
  });
}

/** Throws `invalid-payload` that names the field if the type has a schema and the payload does not fit it. */
function checkFit(type: string, payload: Uint8Array): void {
  const misfit = findMisfit(type, payload);
  if (misfit === undefined) return;
  const message = `--data: ${misfit}; receivers would not understand it: mend it, or publish it all the same with --no-check`;
  throw new VakError('invalid-payload', message, { details: { field: '--data' } });
}

function talkAbout({ parts, isSealed }: Wanted, { output }: CliHost): void {
  if (isSealed || isNeverSealed(typeOfSubject(parts))) return;
  output.talk('vak: it goes plain, and receivers refuse that unless their policy accepts it; --sealed seals it');
}

export const publishCommand: Command = {
  words: ['publish'],
  changes: 'bus',
  args: ['SUBJECT'],
  options: {
    type: { value: 'T', help: "type of the envelope (default: the subject's own)" },
    data: { value: '-|FILE|TEXT', help: 'payload: - for stdin, JSON as it stands, a file, or any text (default: {})' },
    'no-check': { help: 'publishes also what does not fit the schema of its type' },
    sealed: { help: 'seals the payload with the newest secret; that of the environment, env, is the newest' },
  },
  summary: 'Publishes one envelope as --identity, signed and chained.',
  notes: `Prints {id, subject, seq, stream, leaf}; seq and stream say where a durable one is stored, and are left out of an ephemeral one.
A durable one was acknowledged by its stream, an ephemeral one was taken by the server, when it is printed. A durable one
that was handed over and has no answer within 15 s is kept in the outbox of the profile, for that server and identity: see vak outbox.
Where no connection comes about nothing is published, and nothing kept. Where a subject
names a session (vak.events, vak.receipts, vak.approvals…request), write self: a session is one process's own, and each call is
a new one. A text that is JSON is never taken for a file's name. A payload that does not fit the schema of its type is refused with
exit code 2, and the field is named; --no-check publishes it all the same. Types without a schema take any payload. Exit code 1
if the identity may not publish there.`,
  needs: `the streams are there (vak provision), and builder has an inbox: it has once run, as with
node out/peers/worker.js --context prod --identity builder -- true; ${contextNeed}; ${serverNeed}`,
  example: `vak publish vak.agent.default.builder.inbox --type vak.agent.message --sealed --data '{"kind":"text","text":"hello"}' --context prod
vak publish vak.events.default.self.status --sealed --data '{"state":"heartbeat"}' --nats-url nats://127.0.0.1:4222`,
  async run({ args: [text = ''], common, option, isOn }, host) {
    const parts = parseSubject(text);
    const type = option('type') ?? typeOfSubject(parts);
    const isSealed = isOn('sealed');
    checkWanted({ parts, type, isSealed }, common);
    const payload = await readPayload(option('data') ?? '{}', host);
    if (!isOn('no-check')) checkFit(type, payload);
    return await withEnvelopeWorkspace({ common, wanted: 'identity' }, host, async ({ profile, open, secrets }) => {
      if (open === undefined) throw new TypeError('publish: the workspace is not open');
      const identity = await speakingIdentity(open, common, host);
      const publisher: Publisher = { identity, open, nowMs: host.clock.now() };
      const wanted: Wanted = { parts, type, isSealed, payload };
      talkAbout(wanted, host);
      const refused: VakError[] = [];
      const asked = { common, profile, host, peer: identity.peer };
      const onRefused = (error: VakError): void => void refused.push(error);
      let isConnected = false;
      const published = withBus({ ...asked, onRefused }, async (fabric, place) => {
        isConnected = true;
        const publish = chainKindOf(parts) === 'e' ? publishLive : publishStored;
        const { id, subject, seq, stream, leaf } = await withDirectory(
          { open, peer: identity.peer, fabric, isPublishing: mayPublish(common, place) },
          host,
          () => publish({ ...wanted, publisher, secrets, fabric, place }, host),
        );
        const [denied] = refused;
        if (denied !== undefined) throw denied;
        const stored = seq === undefined ? {} : { seq, stream };
        const value = { id, subject, ...stored, leaf };
        host.output.data(value, JSON.stringify(value));
        return exitCodes.done;
      });
      return await published.catch((error: unknown) => {
        throw isConnected ? error : nothingKept(error);
      });
    });
  },
};
