/**
 * Interleaved rounds: every side is measured once a round, beside its peers, so that what the machine does meanwhile hits all of them.
 * Law: a figure is the median of per-round ratios with its spread; no round is thrown away, and none is repeated.
 */

/** One thing that is measured: ours, or a peer. */
export interface Side {
  /** What a value counts: `deliveries/s`, `ms`. */
  readonly unit: string;
  /** One measurement, some 0.2 s long. */
  measure(): Promise<number>;
}

/** A bound on the ratio ours / peer. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** Two sides of a group that are set against each other. */
export interface Comparison {
  readonly title: string;
  readonly ours: string;
  readonly peer: string;
  /** Nothing given: the ratio is told and not judged. */
  readonly target?: Target;
}

/** What could not be measured here, and why. */
export interface NotMeasured {
  readonly plan: string;
  readonly title: string;
  readonly target?: Target;
  readonly reason: string;
}

/** Sides that share rounds. */
export interface Group {
  /** `P1` … of the targets. */
  readonly plan: string;
  readonly sides: Readonly<Record<string, Side>>;
  readonly comparisons: readonly Comparison[];
  readonly notMeasured?: readonly Omit<NotMeasured, 'plan'>[];
  close(): Promise<void>;
}

export interface Figures {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** (most − least) / median. */
  readonly spread: number;
}

/** A comparison that was made. */
export interface Row extends Omit<Comparison, 'ours' | 'peer'> {
  readonly plan: string;
  readonly unit: string;
  readonly ours: Figures & { readonly name: string };
  readonly peer: Figures & { readonly name: string };
  readonly ratio: Figures;
  readonly ratios: readonly number[];
  /** Undefined without a target. */
  readonly isMet: boolean | undefined;
  /** The ratio's spread is above 30 %: it was measured on a busy machine, or it is no steady figure. */
  readonly isNoisy: boolean;
}

export interface RoundOptions {
  readonly rounds: number;
  /** Runs before each measurement: collects garbage that others left. */
  readonly settle: () => Promise<void>;
}

export const leastRounds = 5;
const noisySpread = 0.3;

/** The middle value, of an even number the mean of the middle two. Throws RangeError if there is none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('no value, so no median');
  return (lower + upper) / 2;
}

/** The value that 95 of 100 do not exceed. Throws RangeError if there is none. */
export function p95Of(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)];
  if (value === undefined) throw new RangeError('no value, so no p95');
  return value;
}

export function figuresOf(values: readonly number[]): Figures {
  const median = medianOf(values);
  const least = Math.min(...values);
  const most = Math.max(...values);
  return { median, least, most, spread: (most - least) / median };
}

function isWithin(ratio: number, target: Target): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

/** Measures all sides `rounds` times after one round that does not count; each round begins with another side. */
async function runRounds(
  sides: Group['sides'],
  { rounds, settle }: RoundOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const names = Object.keys(sides);
  const samples = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let at = 0; at < names.length; at++) {
      const name = names[(round + at) % names.length] ?? '';
      await settle();
      const value = await sides[name]?.measure();
      if (value === undefined || !(Number.isFinite(value) && value > 0)) {
        throw new Error(`${name}: measured ${value}, which is no figure`);
      }
      if (round > 0) samples.get(name)?.push(value);
    }
  }
  return samples;
}

/** Measures a group and sets its sides against each other. */
export async function measureGroup(group: Group, options: RoundOptions): Promise<readonly Row[]> {
  if (options.rounds < leastRounds) throw new RangeError(`rounds: at least ${leastRounds}`);
  const samples = await runRounds(group.sides, options);
  const of = (name: string): { readonly values: readonly number[]; readonly unit: string } => {
    const values = samples.get(name);
    const unit = group.sides[name]?.unit;
    if (values === undefined || unit === undefined) throw new Error(`${name}: no side of ${group.plan} has this name`);
    return { values, unit };
  };
  return group.comparisons.map(({ title, ours, peer, target }) => {
    const { values, unit } = of(ours);
    const other = of(peer);
    if (other.unit !== unit) throw new Error(`${title}: ${unit} cannot be compared to ${other.unit}`);
    const ratios = values.map((value, round) => value / (other.values[round] ?? Number.NaN));
    const ratio = figuresOf(ratios);
    return {
      ...{ plan: group.plan, title, unit, ratio, ratios },
      ...(target === undefined ? {} : { target }),
      ours: { name: ours, ...figuresOf(values) },
      peer: { name: peer, ...figuresOf(other.values) },
      isMet: target === undefined ? undefined : isWithin(ratio.median, target),
      isNoisy: ratio.spread > noisySpread,
    };
  });
}
