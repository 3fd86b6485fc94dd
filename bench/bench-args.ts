/** What the bench is asked for: `[P1 …] [--rounds=N] [--gate]`. */
import { leastRounds } from './rounds.ts';

export const plans = ['P1', 'P2', 'P3', 'P4', 'P12', 'P14'] as const;
type Plan = (typeof plans)[number];

export interface BenchArgs {
  readonly wanted: readonly Plan[];
  readonly rounds: number;
  /** A missed target makes the bench fail. */
  readonly isGate: boolean;
}

/** All plans in their order if none is named. Throws Error that says what is known. */
export function parseBenchArgs(args: readonly string[]): BenchArgs {
  let rounds = leastRounds;
  let isGate = false;
  const named = new Set<string>();
  for (const arg of args) {
    const count = /^--rounds=(\d{1,3})$/.exec(arg)?.[1];
    if (count !== undefined) rounds = Number(count);
    else if (arg === '--gate') isGate = true;
    else if (plans.some((plan) => plan === arg.toUpperCase())) named.add(arg.toUpperCase());
    else throw new Error(`${arg}: the bench knows ${plans.join(', ')}, --rounds=N and --gate`);
  }
  if (rounds < leastRounds) throw new Error(`--rounds: at least ${leastRounds}`);
  return { wanted: plans.filter((plan) => named.size === 0 || named.has(plan)), rounds, isGate };
}
