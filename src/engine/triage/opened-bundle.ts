/**
 * A bundle that was looked through and stays open: what is in it, its letters by their place (docs/spec/triage.md D14).
 * Law: of the file only places and rows are held, within bounds; a letter is read again when somebody looks, and is then what was verified.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type {
  BundledEnvelope,
  BundledLetter,
  BundleReport,
  bundlesContract,
} from '../../shared/contract/bundles-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { LetterRow } from '../../shared/contract/dlq-contract.ts';
import {
  type BundleLineVerdict,
  type BundlePlace,
  type BundleSummary,
  checkBundle,
  rootUnlessOther,
} from './bundle-check.ts';
import { bundleBounds, parseBundleLine } from './bundle-format.ts';
import { unvouched } from './bundle-integrity.ts';
import { readBundledLetter, readBundledTask, rowOfBundled } from './bundle-letter.ts';
import type { BundleSource } from './bundle-source.ts';
import { readBundleStory } from './bundle-story.ts';
import { aroundOf } from './letter-around.ts';
import { matchingLetters, readLetterFilter, type SearchedLetter } from './letter-query.ts';

export interface OpenedBundle {
  /** All but the id that a service gives it. */
  readonly report: Omit<BundleReport, 'bundleId'>;
  /** Of what a filter means; `nowMs`: what its times are counted from. */
  page(asked: BundlePageAsked, nowMs: number): BundlePage;
  /** Throws `not-found`, `conflict` (the file was changed). */
  letter(seq: number): Promise<BundledLetter>;
  close(): Promise<void>;
}

type BundleCalls = Services<{ readonly bundles: typeof bundlesContract }>['bundles'];
type BundlePageAsked = Omit<Parameters<BundleCalls['page']>[0], 'bundleId'>;
type BundlePage = Awaited<ReturnType<BundleCalls['page']>>;

export interface BundleLookDeps {
  /** Public nkey of a workspace's root, if it is known here. */
  readonly rootOf: (workspace: string) => string | undefined;
  /** Whether this profile has pinned that signing key for a peer. */
  readonly isPinned: (key: { readonly ws: string; readonly peer: string; readonly sign: string }) => boolean;
  /** Lets others run if it is time to. */
  readonly rest: () => Promise<void>;
  /** Bytes of the file that were read, over both looks. */
  readonly onProgress: (doneBytes: number) => void;
  readonly signal: AbortSignal;
}

/** Faults that are told of; lines and envelopes that are kept for one letter. */
const maxFaults = 50;
const maxOfLetter = 64;
/** Calls of a letter that a filter looks at. */
const maxFrames = 16;
/** Kinds of lines that are counted: of others' there may be as many as lines. */
const maxKinds = 64;

interface HeldLetter {
  readonly row: LetterRow;
  /** The calls of its failure, which a filter may name. */
  readonly frames: SearchedLetter['cause']['frames'];
  readonly place: BundlePlace;
  readonly task: BundlePlace[];
  readonly around: BundlePlace[];
  readonly envelopes: BundledEnvelope[];
  isIntact: boolean;
}

const aroundKinds: ReadonlySet<string> = new Set(['terminal', 'telemetry', 'status']);

/** Takes note of the lines as they pass. */
function createHeld() {
  const letters = new Map<number, HeldLetter>();
  const faults: BundleReport['faults'][number][] = [];
  const counts = new Map<string, number>();
  const story = { about: undefined as object | undefined, end: undefined as object | undefined };
  let unreadableCount = 0;

  function addLetter(value: object, place: BundlePlace, isOk: boolean): void {
    const report = readBundledLetter(value);
    if (report === undefined || letters.has(report.seq) || letters.size >= bundleBounds.letters) unreadableCount++;
    else {
      const frames = report.frames.slice(0, maxFrames);
      const held = { row: rowOfBundled(report), frames, place, task: [], around: [], envelopes: [], isIntact: isOk };
      letters.set(report.seq, held);
    }
  }

  /** What is of a letter that was told of before. */
  function addOfLetter(number: unknown, { kind, place, isOk }: BundleLineVerdict): void {
    const letter = typeof number === 'number' ? letters.get(number) : undefined;
    if (letter === undefined || place === undefined) return;
    if (!isOk) letter.isIntact = false;
    const places = kind === 'task' ? letter.task : aroundKinds.has(kind) ? letter.around : [];
    if (places.length < maxOfLetter) places.push(place);
  }

  function addPart(value: Readonly<Record<string, unknown>>, verdict: BundleLineVerdict): void {
    const { kind, place, isOk } = verdict;
    if (kind === 'about') story.about ??= value;
    else if (kind === 'end') story.end ??= value;
    else if (kind !== 'letter') addOfLetter(value['letter'], verdict);
    else if (place !== undefined) addLetter(value, place, isOk);
  }

  function addEnvelope({ content, envelope, isOk }: BundleLineVerdict): void {
    if (content?.kind !== 'envelope' || envelope === undefined) return;
    const letter = content.letter === null ? undefined : letters.get(content.letter);
    if (letter === undefined || letter.envelopes.length >= maxOfLetter) return;
    if (!isOk) letter.isIntact = false;
    const { id, type, by, payload, signature, isProven } = envelope;
    const shown = { id: visibleText(id), type: visibleText(type), by: visibleText(by) };
    letter.envelopes.push({ of: content.of, ...shown, payload, signature, isProven });
  }

  return {
    ...{ letters, faults, counts, story, unreadable: () => unreadableCount },
    note(verdict: BundleLineVerdict): void {
      const { line, kind, content, errors } = verdict;
      const name = content?.kind === 'envelope' ? `envelope of ${content.of}` : kind;
      if (counts.has(name) || counts.size < maxKinds) counts.set(name, (counts.get(name) ?? 0) + 1);
      // That the file was cut off is said once, not of every line.
      const own = errors.filter((error) => error !== unvouched);
      if (own.length > 0 && faults.length < maxFaults) faults.push({ line, kind, why: visibleText(own.join(' ')) });
      if (content?.kind === 'part') addPart(content.value, verdict);
      else addEnvelope(verdict);
    },
  };
}

type Held = ReturnType<typeof createHeld>;

/** What this profile knows besides. */
interface Known extends Pick<BundleLookDeps, 'isPinned'> {
  /** The bundle names another root than the workspace of that name has here. */
  readonly isOther: boolean;
}

function signedOf({ manifest, signature }: BundleSummary, { isPinned, isOther }: Known): BundleReport['signed'] {
  if (manifest === undefined || signature === undefined || signature.kind === 'unsigned') {
    return { kind: 'none', signer: null, isPinned: false, isOtherRoot: false, why: 'Its first line is no manifest.' };
  }
  const { ws, peer, signer: sign } = manifest;
  const why = signature.kind === 'invalid' ? visibleText(signature.why) : null;
  return {
    kind: signature.kind,
    signer: sign,
    why,
    isOtherRoot: isOther,
    isPinned: why === null && isPinned({ ws, peer, sign }),
  };
}

function madeOf({ manifest }: BundleSummary): BundleReport['made'] {
  if (manifest === undefined) return null;
  const { ws: workspace, peer: by, createdAt, operationId } = manifest;
  const atMs = Date.parse(createdAt);
  return { workspace, by, atMs: Number.isNaN(atMs) ? null : atMs, operationId };
}

function reportOf(
  summary: BundleSummary,
  held: Held,
  { name, sizeBytes, ...known }: Pick<BundleSource, 'name' | 'sizeBytes'> & Known,
): OpenedBundle['report'] {
  const { isOk, isSound, lineCount, badLineCount, envelopeCount, validCount, soundCount, provenCount } = summary;
  return {
    ...{ name, sizeBytes, signed: signedOf(summary, known) },
    verdict: isOk ? 'sound' : isSound ? 'unknown' : 'changed',
    ...{ made: madeOf(summary), lineCount, badLineCount, faults: held.faults },
    cutAtLine: summary.cutAtLine ?? null,
    errors: summary.errors.map(visibleText),
    envelopes: { count: envelopeCount, grantedCount: validCount, unknownCount: soundCount, provenCount },
    ...readBundleStory(held.story),
    parts: [...held.counts].map(([kind, count]) => ({ kind: visibleText(kind), count })),
    ...{ letterCount: held.letters.size, unreadableCount: held.unreadable() },
  };
}

/** As a filter looks at it: its cause is in the words of whoever made the bundle. */
function searchedOf({ row, frames }: HeldLetter): SearchedLetter & { readonly row: LetterRow } {
  const { fingerprint: id, errorClass: rootType, reason: shape } = row;
  return { ...row, row, cause: { id, rootType, shape, frames } };
}

/** Counts the bytes that are read. */
function counted(source: BundleSource, onProgress: BundleLookDeps['onProgress']) {
  let doneBytes = 0;
  return async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.stream()) {
      doneBytes += chunk.length;
      onProgress(doneBytes);
      yield chunk;
    }
  };
}

/** Looks through it. Throws as {@link checkBundle} does, and `invalid-input` if nothing in it is of a bundle; the source stays open then. */
export async function lookThroughBundle(source: BundleSource, deps: BundleLookDeps): Promise<OpenedBundle> {
  const { rootOf, isPinned, rest, onProgress, signal } = deps;
  const held = createHeld();
  let isOther = false;
  const summary = await checkBundle({
    ...{ open: counted(source, onProgress), signal },
    rootOf(name, claimed) {
      const known = rootOf(name);
      isOther = known !== undefined && rootUnlessOther(known, claimed) === undefined;
      return rootUnlessOther(known, claimed);
    },
    async onLine(verdict) {
      held.note(verdict);
      await rest();
    },
  });
  const { lineCount, badLineCount, manifest } = summary;
  if (manifest === undefined && lineCount === badLineCount) {
    throw new VakError('invalid-input', `${source.name}: it is no incident bundle: not one of its lines is of one`);
  }
  const letters = [...held.letters.values()].map(searchedOf).sort((a, b) => b.row.seq - a.row.seq);

  async function valueAt(place: BundlePlace): Promise<Readonly<Record<string, unknown>>> {
    const line = parseBundleLine(await source.line(place));
    return line.kind === 'part' ? line.value : {};
  }

  return {
    report: reportOf(summary, held, { name: source.name, sizeBytes: source.sizeBytes, isPinned, isOther }),
    page({ filter, fromIndex, limit }, nowMs) {
      const read = readLetterFilter(filter, nowMs);
      const matching = matchingLetters(letters, read, { stateOf: ({ row }) => row.state, showsArchived: true });
      return {
        rows: matching.slice(fromIndex, fromIndex + limit).map(({ row }) => row),
        ...{ matchingCount: matching.length, allCount: letters.length, faults: read.faults },
      };
    },
    async letter(seq) {
      const found = held.letters.get(seq);
      const letter = found && readBundledLetter(await valueAt(found.place));
      if (found === undefined || letter === undefined) {
        throw new VakError('not-found', `dead letter ${seq}: it is not in the bundle ${source.name}`);
      }
      const [task] = found.task;
      const { isIntact, envelopes } = found;
      return {
        ...{ letter, isIntact, envelopes },
        task: task === undefined ? null : readBundledTask(await valueAt(task)),
        around: aroundOf(await Promise.all(found.around.map(valueAt)), { session: letter.session, sealedCount: 0 }),
      };
    },
    close: () => source.close(),
  };
}
