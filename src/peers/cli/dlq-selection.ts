/** Which dead letters a command means, why, and where: what every bulk action reads from its line (docs/spec/triage.md D6). */
import { createLetterPlans, type LetterPlans, type PlannedAction } from '../../engine/triage/letter-plans.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { LetterSelection } from '../../shared/contract/dlq-contract.ts';
import type { CliHost, CommandInput, CommonOptions } from './command.ts';
import { type LettersLook, readPlace } from './dlq-look.ts';

const maxReason = 1024;
const maxPlaces = 10_000;

/** Which letters: by their places, or all that match; one of both. Throws `invalid-input`. */
export function readSelection({ args, option }: CommandInput, doing: PlannedAction): LetterSelection {
  const filter = option('match');
  if ((filter === undefined) === (args.length === 0)) {
    throw new VakError(
      'invalid-input',
      `vak dlq ${doing}: give places as vak dlq ls prints them, or --match FILTER, one of both`,
    );
  }
  if (filter !== undefined) return { filter };
  if (args.length > maxPlaces) {
    throw new VakError(
      'invalid-input',
      `SEQ: found ${args.length} places, at most ${maxPlaces} are taken; use --match`,
    );
  }
  return { seqs: args.map(readPlace) };
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
