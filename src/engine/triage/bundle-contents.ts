/**
 * What goes into a bundle about dead letters (docs/spec/triage.md D11): each letter as it was stored and as it reads, its task, receipts,
 * causes and surroundings, what is on record, and what it takes to believe all that elsewhere.
 * Law: it only reads; a part that is not there is left out and counted; what was opened passes the redaction, if that is on.
 */
import { toBase64 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { LetterReport } from '../../shared/contract/dlq-contract.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { GrantLookup } from '../ports/directory.ts';
import { judgeReceipt } from '../work/receipts.ts';
import { findAudit } from './bundle-audit.ts';
import { createBundleEnvelopes, type FoundEnvelope } from './bundle-envelopes.ts';
import { findProofs } from './bundle-proofs.ts';
import type { Redaction } from './bundle-redaction.ts';
import { surroundingsOf } from './bundle-surroundings.ts';
import type { BundleContent, BundleWriter } from './bundle-writer.ts';
import type { HeardMessages } from './heard-messages.ts';
import type { LetterEntry } from './letter-book.ts';
import { type KnownLetters, type LetterReportDeps, reportLetter } from './letter-report.ts';
import { readStoredLetter, type StoredLetter } from './stored-letter.ts';

export interface BundleSources extends LetterReportDeps {
  readonly opener: Pick<EnvelopeOpener, 'open'>;
  readonly known: KnownLetters;
  /** Grants as the profile has them. */
  readonly grants: GrantLookup;
}

export interface BundleContents {
  /** Adds all that is known of a letter; whether there was room. Throws what reading throws for reasons other than the letter's own. */
  addLetter(entry: LetterEntry): Promise<boolean>;
  /** Adds what is of all of them together. */
  addRest(): Promise<void>;
  /** Places of the letters that are in it. */
  places(): ReadonlySet<number>;
  leftOut(): readonly { readonly why: string; readonly count: number }[];
  notes(): readonly string[];
}

export interface BundleContentsOptions {
  readonly sources: BundleSources;
  readonly writer: Pick<BundleWriter, 'add'>;
  /** Undefined: nothing is taken out. */
  readonly redaction: Redaction | undefined;
  /** Who makes it: a grant of theirs is needed too. */
  readonly peer: string;
  /** Lets others run, and throws if it is to end. */
  readonly rest: () => Promise<void>;
}

/** Looking around a failure is dear: it is done for so many letters. */
const maxSurrounded = 100;

/** Why something is not there, and how often. */
function createLeftOut() {
  const counts = new Map<string, number>();
  return {
    note: (why: string, count = 1): void => void counts.set(why, (counts.get(why) ?? 0) + count),
    all: () => [...counts].map(([why, count]) => ({ why, count })),
  };
}

interface LetterParts {
  readonly entry: LetterEntry;
  readonly stored: StoredLetter;
  readonly report: LetterReport;
}

/** Creates it; nothing is read yet. */
export function createBundleContents(options: BundleContentsOptions): BundleContents {
  const { sources, writer, redaction, peer, rest } = options;
  const { workspace, durable, judge, reader, opener, known, grants, heard } = sources;
  const envelopes = createBundleEnvelopes(redaction !== undefined);
  const leftOut = createLeftOut();
  const places = new Set<number>();
  let fromMs = Number.POSITIVE_INFINITY;
  let surrounded = 0;

  /** What was opened. */
  const shown = <T>(value: T): T => redaction?.value(value) ?? value;

  async function add(line: BundleContent): Promise<boolean> {
    const isAdded = await writer.add(line);
    if (!isAdded) leftOut.note(`${line.kind}: the bundle is full, or it is too long`);
    return isAdded;
  }

  async function addEnvelope(found: FoundEnvelope): Promise<void> {
    const line = envelopes.lineOf(found);
    if (line !== undefined) await add(line);
  }

  async function addStored(message: StoredMessage, of: Pick<FoundEnvelope, 'of' | 'letter'>): Promise<void> {
    const { subject, storedMs, data } = message;
    await addEnvelope({ ...of, subject, storedMs, data, reading: reader.read(data) });
  }

  async function addTaskEnvelope({ stored, entry }: Pick<LetterParts, 'stored' | 'entry'>, of: 'task' | 'ancestor') {
    const { task, message } = stored;
    if ('problem' in task || task.reading.kind !== 'envelope') return;
    // It was judged when its letter was stored: when it was stored itself nobody knows any more.
    const { subject = '' } = task.reading.envelope;
    await addEnvelope({ of, letter: entry.seq, subject, storedMs: message.storedMs, ...task });
  }

  function taskLine({ stored: { task }, entry: { seq: letter } }: LetterParts): BundleContent {
    const line = { kind: 'task', letter };
    if ('problem' in task) return { ...line, problem: task.problem.message };
    const { reading, data } = task;
    const opened =
      reading.kind === 'envelope'
        ? opener.open(reading.envelope)
        : ({ kind: 'opened', bytes: data, wasSealed: false } as const);
    if (opened.kind === 'failed') return { ...line, problem: opened.failure.why };
    const { bytes, wasSealed } = opened;
    if (redaction === undefined) return { ...line, wasSealed, data: toBase64(bytes) };
    const text = redaction.bytes(bytes);
    if (text !== undefined) return { ...line, wasSealed, text };
    return { ...line, wasSealed, problem: `It is no text (${bytes.length} bytes), and cannot be looked through.` };
  }

  /** A receipt that counts, of that very task. */
  function receiptOf(message: StoredMessage | undefined, { taskId, taskLeaf, queue }: LetterEntry) {
    const verdict = message === undefined ? undefined : judgeReceipt(message, judge);
    if (verdict?.kind !== 'valid') return undefined;
    const { receipt } = verdict;
    return receipt.taskId === taskId && receipt.taskLeaf === taskLeaf && receipt.queue === queue ? verdict : undefined;
  }

  async function addReceipts(entry: LetterEntry): Promise<void> {
    const { seq: letter, taskId } = entry;
    for (const seq of taskId === null ? [] : known.receiptPlaces(taskId)) {
      const message = await durable.stream(`VAK_RECEIPTS_${workspace}`).get(seq);
      const found = receiptOf(message, entry);
      if (message === undefined || found === undefined) continue;
      await addStored(message, { of: 'receipt', letter });
      await add({ kind: 'receipt', letter, id: found.envelope.id, receipt: shown(found.receipt) });
    }
  }

  async function addAncestor(id: string, letter: number): Promise<void> {
    const entry = known.book.ofId(id);
    if (entry !== undefined) {
      const stored = await readStoredLetter(entry.seq, sources);
      await addStored(stored.message, { of: 'ancestor', letter });
      await addTaskEnvelope({ stored, entry: { ...entry, seq: letter } }, 'ancestor');
      return;
    }
    const found = heard?.byId(id);
    if (found === undefined) return;
    const { subject, atMs: storedMs, data } = found;
    await addEnvelope({ of: 'ancestor', letter, subject, storedMs, data, reading: reader.read(data) });
  }

  async function addAncestors({ entry, report }: LetterParts): Promise<void> {
    for (const { id } of report.ancestors) {
      try {
        await addAncestor(id, entry.seq);
      } catch (error) {
        if (!isVakError(error, 'not-found')) throw error;
        leftOut.note('ancestor: it is not there any more');
      }
    }
  }

  async function addSurroundings({ entry, report }: LetterParts, around: HeardMessages): Promise<void> {
    const { lines, sealedCount } = surroundingsOf(report, around, opener);
    for (const line of lines) await add({ ...shown(line), letter: entry.seq });
    if (sealedCount > 0) leftOut.note('what a session said: it does not open here', sealedCount);
  }

  async function readParts(entry: LetterEntry, around: HeardMessages | undefined): Promise<LetterParts | undefined> {
    try {
      const stored = await readStoredLetter(entry.seq, sources);
      const { heard: _heard, ...deps } = sources;
      const report = await reportLetter(entry, known, around === undefined ? deps : { ...deps, heard: around });
      return { entry, stored, report };
    } catch (error) {
      if (!isVakError(error, 'not-found')) throw error;
      leftOut.note('letter: its stream does not have it any more, or it does not count');
      return undefined;
    }
  }

  return {
    async addLetter(entry) {
      const around = surrounded < maxSurrounded ? heard : undefined;
      surrounded++;
      const parts = await readParts(entry, around);
      if (parts === undefined) return true;
      const { seq } = entry;
      if (!(await add({ ...shown({ kind: 'letter', seq, report: parts.report }) }))) return false;
      places.add(seq);
      const { message } = parts.stored;
      fromMs = Math.min(fromMs, message.storedMs);
      await addStored(message, { of: 'letter', letter: seq });
      await addTaskEnvelope(parts, 'task');
      await add(taskLine(parts));
      await addReceipts(entry);
      await addAncestors(parts);
      if (around !== undefined) await addSurroundings(parts, around);
      return true;
    },
    async addRest() {
      if (places.size > 0) {
        for await (const { action, message } of findAudit(places, fromMs, { workspace, durable, judge, rest })) {
          await addStored(message, { of: 'audit', letter: null });
          await add({ ...shown({ kind: 'audit', action }) });
        }
      }
      const deps = { workspace, durable, judge, reader, rest };
      for await (const proof of findProofs(envelopes.known(), deps)) await add(proof);
      for (const one of new Set([peer, ...envelopes.peers()])) {
        for (const { record, storedMs } of grants.grants(one)) {
          await add({ kind: 'grant', storedMs, record });
        }
      }
    },
    places: () => places,
    leftOut: leftOut.all,
    notes() {
      if (heard === undefined)
        return ['Nobody listened to the bus where this was made: output and figures of the failures are not here.'];
      return surrounded <= maxSurrounded
        ? []
        : [`Output and figures are here for the first ${maxSurrounded} letters only.`];
    },
  };
}
