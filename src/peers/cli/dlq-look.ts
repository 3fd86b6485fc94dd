/** The dead letters of a workspace as a command reads them: all that its stream has, judged by what the profile knows (D2–D4). */
import { readGroupStates } from '../../engine/triage/group-states.ts';
import { type AnsweringLetters, createLetterAnswers, type LetterAnswers } from '../../engine/triage/letter-answers.ts';
import type { LetterEntry } from '../../engine/triage/letter-book.ts';
import { createLetterReading, type RefusedLetter } from '../../engine/triage/letter-reading.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { LetterAnswer } from '../../shared/contract/dlq-contract.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { type IdentityBus, withIdentityBus } from './identity-bus.ts';
import { createWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts';

export interface LettersLook {
  readonly bus: IdentityBus;
  readonly trust: WorkspaceTrust;
  readonly letters: AnsweringLetters;
  readonly answers: LetterAnswers;
  /** Says on stderr what was read and does not count: for commands that list, or nobody would read it any more. */
  tellRefused(): void;
}

/** Letters that a command remembers, as the app does. */
const capacity = 100_000;
/** Records that do not count are told one by one, so many of them. */
const maxTold = 5;

function createTelling({ output }: CliHost) {
  const lines: string[] = [];
  let count = 0;
  return {
    note({ kind, message: { seq }, why }: RefusedLetter): void {
      count++;
      const what = kind === 'action' ? `action ${seq} of the record` : `dead letter ${seq}`;
      if (lines.length < maxTold) lines.push(`vak: ${what} does not count: ${why}`);
    },
    tell(): void {
      for (const line of lines) output.talk(line);
      if (count > maxTold) output.talk(`vak: ${count - maxTold} more do not count`);
    },
  };
}

async function readLetters({ fabric, open: { workspace } }: IdentityBus, trust: WorkspaceTrust, host: CliHost) {
  const { durable } = fabric;
  const telling = createTelling(host);
  const reading = createLetterReading({ ...trust, workspace, durable, capacity, onRefused: telling.note });
  try {
    await reading.read();
  } catch (error) {
    // A workspace whose streams were not made yet has no dead letters.
    if (!isVakError(error, 'not-found')) throw error;
  }
  const forgotten = reading.book.forgottenCount();
  if (forgotten > 0) host.output.talk(`vak: ${forgotten} older dead letters are in the stream and not looked at`);
  return { reading, tellRefused: telling.tell };
}

/** Reads all there is, and runs the work on it. */
export async function withLetters<T>(
  common: CommonOptions,
  host: CliHost,
  work: (look: LettersLook) => Promise<T>,
): Promise<T> {
  return await withIdentityBus({ common }, host, async (bus) => {
    const trust = createWorkspaceTrust({ ...bus, workspace: common.workspace }, host);
    try {
      const { reading, tellRefused } = await readLetters(bus, trust, host);
      const said = await readGroupStates({ ...common, durable: bus.fabric.durable, reader: trust.state });
      const letters = { ...reading, saidOf: (fingerprint: string) => said.get(fingerprint), version: () => 1 };
      const answers = createLetterAnswers({ letters: () => letters, opener: trust.opener, clock: host.clock });
      return await work({ bus, trust, letters, answers, tellRefused });
    } finally {
      trust.dispose();
    }
  });
}

/** Throws `invalid-input` for a filter with a fault. `field`: the argument or option that it came by. */
export function checkFilter({ faults: [fault] }: Pick<LetterAnswer, 'faults'>, field: string): void {
  if (fault !== undefined) throw new VakError('invalid-input', `${field}: ${fault.message}`);
}

/** A place of a letter: a whole number from 1. Throws `invalid-input`. */
export function readPlace(text: string): number {
  const seq = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  throw new VakError(
    'invalid-input',
    `SEQ: found ${text.length} characters, allowed: a number as vak dlq ls prints it, or the id of a letter or its task`,
  );
}

/** Whether it is the form of an id; places are numbers. */
export const isLetterId = (text: string): boolean => uuid.test(text);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The letter of that place, that id, or of the task with that id. Throws `invalid-input`, `not-found`, `conflict` (there are several). */
export function findLetter(text: string, { letters: { book } }: LettersLook): LetterEntry {
  const byId = (): readonly LetterEntry[] => {
    const own = book.ofId(text);
    return own === undefined ? book.ofTask(text) : [own];
  };
  const place = isLetterId(text) ? undefined : readPlace(text);
  const found = place === undefined ? byId() : [book.get(place)].filter((one) => one !== undefined);
  const [first, ...more] = found;
  if (first === undefined)
    throw new VakError('not-found', `dead letter ${text}: there is none that counts; see vak dlq ls`);
  if (more.length === 0) return first;
  const places = found.map(({ seq }) => seq).join(', ');
  throw new VakError(
    'conflict',
    `${text}: there are ${found.length} dead letters of it; name one by its place: ${places}`,
  );
}
