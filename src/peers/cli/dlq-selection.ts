/** Which dead letters a command means, why, and where: what every bulk action reads from its line (docs/spec/triage.md D6). */
import { createLetterPlans, type LetterPlans, type PlannedAction } from '../../engine/triage/letter-plans.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { LetterSelection } from '../../shared/contract/dlq-contract.ts';
import type { CliHost, CommandInput, CommonOptions } from './command.ts';
import { findLetter, isLetterId, type LettersLook, readPlace } from './dlq-look.ts';

const maxReason = 1024;
const maxPlaces = 10_000;

/**
 * Which letters: by their places or ids, or all that match; one of both. Ids are looked up in what was read, which throws `not-found`,
 * `conflict`. Throws `invalid-input`.
 */
export function readSelection(
  { args, option }: CommandInput,
  doing: PlannedAction,
): (look: LettersLook) => LetterSelection {
  const filter = option('match');
  if ((filter === undefined) === (args.length === 0)) {
    throw new VakError(
      'invalid-input',
      `vak dlq ${doing}: give places or ids as vak dlq ls prints them, or --match FILTER, one of both`,
    );
  }
  if (filter !== undefined) return () => ({ filter });
  if (args.length > maxPlaces) {
    throw new VakError(
      'invalid-input',
      `SEQ: found ${args.length} places, at most ${maxPlaces} are taken; use --match`,
    );
  }
  const named = args.map((text) => (isLetterId(text) ? text : readPlace(text)));
  return (look) => ({ seqs: named.map((one) => (typeof one === 'number' ? one : findLetter(one, look).seq)) });
}

/** Why, for the record. Throws `invalid-input`. */
export function readReason(text: string | undefined): string | undefined {
  if (text === undefined || Buffer.byteLength(text) <= maxReason) return text;
  throw new VakError(
    'invalid-input',
    `--reason: found ${Buffer.byteLength(text)} bytes, at most ${maxReason} are taken`,
  );
}

/** What people call the place that the bus is at. */
export function environmentOf({ connection, context }: CommonOptions, { bus }: LettersLook): string {
  if (connection.natsUrl !== undefined) return bus.place.destination;
  return context ?? bus.profile.settings.settings().currentContext;
}

/** Plans on the server that is connected. */
export function createPlans(common: CommonOptions, look: LettersLook, { clock, randomness }: CliHost): LetterPlans {
  const environment = environmentOf(common, look);
  return createLetterPlans({
    ...{ clock, randomness, whyLeftOut: look.answers.whyLeftOut },
    ...{ environment: () => environment, destination: () => look.bus.place.destination },
  });
}
