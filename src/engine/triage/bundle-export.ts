/**
 * Makes a bundle of dead letters, on record (docs/spec/triage.md D5, D11).
 * Law: nothing is opened before the export's beginning is stored; whatever becomes of it is on record too, and no half file is left.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { maxAuditPlaces } from '../../shared/protocol/payload-audit.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Clock } from '../ports/clock.ts';
import { rangesOf } from '../work/queue-purge.ts';
import { type BundleSources, createBundleContents } from './bundle-contents.ts';
import { openBundleFile } from './bundle-file.ts';
import { type BundleAbout, type BundleEnd, bundleBounds } from './bundle-format.ts';
import { createRedaction, type Redaction } from './bundle-redaction.ts';
import { type BundleWriter, createBundleWriter } from './bundle-writer.ts';
import type { RecordAction } from './letter-acts.ts';
import type { FrozenLetters } from './letter-plans.ts';
import { letterActions } from './letter-records.ts';

export interface BundleRequest extends Pick<FrozenLetters, 'letters' | 'scope'> {
  readonly operationId: string;
  /** Context in use, for people. */
  readonly environment: string;
  readonly reason: string | undefined;
  readonly isRedacted: boolean;
  readonly path: string;
  /** Whoever chose the path has said that what lies there may go. */
  readonly mayReplace: boolean;
}

export interface BundleExportDeps {
  readonly sources: BundleSources;
  readonly record: RecordAction;
  readonly peer: string;
  readonly signer: Pick<NkeySigner, 'nkey' | 'sign'>;
  /** Public nkey of the workspace's root; null: it is not known. */
  readonly root: string | null;
  readonly clock: Clock;
  /** Told after each letter. */
  readonly onProgress: (doneCount: number) => void;
  /** Ends it; nothing is left of the file. */
  readonly signal: AbortSignal;
}

export interface BundleResult {
  readonly path: string;
  readonly lineCount: number;
  readonly letterCount: number;
  /** What was taken out, by its kind. */
  readonly redacted: Readonly<Record<string, number>>;
  readonly leftOut: BundleEnd['leftOut'];
}

const scopeLength = 700;

/** Puts the letters on record, with what becomes of them. */
async function recordPlaces(request: BundleRequest, outcome: string, record: RecordAction): Promise<void> {
  const seqs = request.letters.map(({ seq }) => ({ seq })).sort((a, b) => a.seq - b.seq);
  for (let from = 0; from < seqs.length; from += maxAuditPlaces) {
    const part = seqs.slice(from, from + maxAuditPlaces);
    await record({ ...actionOf(request), count: part.length, outcome, places: rangesOf(part) });
  }
}

function actionOf({ operationId, environment, scope, reason, isRedacted }: BundleRequest) {
  const what = `${scope.slice(0, scopeLength)}${isRedacted ? '' : ' (secrets left in)'}`;
  return {
    ...{ operationId, action: letterActions.export, target: environment, scope: what },
    ...(reason === undefined ? {} : { reason }),
  };
}

function aboutOf(request: BundleRequest, root: string | null, redaction: Redaction | undefined): BundleAbout {
  const { environment, scope, reason = null, isRedacted, letters } = request;
  const about = { kind: 'about', environment, scope, reason, letterCount: letters.length, isRedacted, root } as const;
  return redaction?.value(about) ?? about;
}

interface Writing {
  readonly request: BundleRequest;
  readonly writer: BundleWriter;
  readonly redaction: Redaction | undefined;
}

/** Writes all lines; gives how many letters there are, and what is not. */
async function writeLines({ request, writer, redaction }: Writing, deps: BundleExportDeps) {
  const { sources, peer, clock, root, signal, onProgress } = deps;
  const rest = async (): Promise<void> => {
    await new Promise<void>((resolve) => clock.defer(resolve));
    if (signal.aborted) throw new VakError('aborted', 'export: it was stopped; no file was written');
  };
  const contents = createBundleContents({ sources, writer, redaction, peer, rest });
  await writer.add({ ...aboutOf(request, root, redaction) });
  let doneCount = 0;
  for (const entry of request.letters) {
    await rest();
    if (!(await contents.addLetter(entry))) break;
    doneCount++;
    onProgress(doneCount);
  }
  await contents.addRest();
  const missing = request.letters.length - doneCount;
  const full = missing === 0 ? [] : [{ why: 'letter: the bundle is full', count: missing }];
  const leftOut = [...contents.leftOut(), ...full];
  const redacted = redaction?.counts() ?? {};
  const end: BundleEnd = { kind: 'end', counts: { ...writer.counts() }, redacted, leftOut, notes: contents.notes() };
  await writer.add({ ...end });
  return { places: contents.places(), redacted, leftOut };
}

async function writeBundle(request: BundleRequest, deps: BundleExportDeps) {
  const { operationId, path, mayReplace, isRedacted } = request;
  const { sources, peer, signer, clock } = deps;
  const sink = await openBundleFile(path, mayReplace);
  try {
    const createdAt = new Date(clock.now()).toISOString();
    const writer = await createBundleWriter({ ws: sources.workspace, peer, operationId, createdAt, signer, sink });
    const redaction = isRedacted ? createRedaction() : undefined;
    const written = await writeLines({ request, writer, redaction }, deps);
    return { path, lineCount: await writer.finish(), ...written };
  } finally {
    await sink.discard();
  }
}

/**
 * Makes it. Throws `invalid-input` (no letter), `limit-exceeded` (too many), `exists`, `forbidden`, `disk-full`, `aborted`, and what reading and
 * recording throw; then there is no file.
 */
export async function exportBundle(request: BundleRequest, deps: BundleExportDeps): Promise<BundleResult> {
  const { letters } = request;
  const { record } = deps;
  if (letters.length === 0) throw new VakError('invalid-input', 'export: there is no letter to export');
  if (letters.length > bundleBounds.letters) {
    const message = `export: ${letters.length} letters, at most ${bundleBounds.letters} fit in a bundle; narrow the filter`;
    throw new VakError('limit-exceeded', message);
  }
  await recordPlaces(request, 'begun', record);
  let written: Awaited<ReturnType<typeof writeBundle>>;
  try {
    written = await writeBundle(request, deps);
  } catch (error) {
    const outcome = isVakError(error, 'aborted') ? 'stopped' : 'failed';
    await record({ ...actionOf(request), count: 0, outcome });
    throw error;
  }
  const { places, ...result } = written;
  await recordPlaces({ ...request, letters: letters.filter(({ seq }) => places.has(seq)) }, 'exported', record);
  await record({ ...actionOf(request), count: places.size, outcome: 'done' });
  return { ...result, letterCount: places.size };
}
