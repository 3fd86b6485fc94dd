/**
 * Why a worker's process is dead, in one line for people.
 * Law: says what happened to the process, to its command, and to what the command had started.
 */
import { processCount, shortCommand } from '../work/command-words.ts';
import type { EndResult } from '../work/end-processes.ts';
import type { PeerExit } from './launched-peer.ts';

/** What is known of a death. */
export interface DeathFacts {
  readonly exit: PeerExit;
  readonly wasReady: boolean;
  /** Why we ended it, when we did. */
  readonly endCause: string | undefined;
  /** Why it refused its configuration. */
  readonly refusal: string | undefined;
  /** What it was at then: its command ran, or waited for its approval. */
  readonly task: { readonly command: readonly string[]; readonly isWaiting: boolean } | undefined;
  /** Whether process groups of it were alive then: its guardian may end them before we do. */
  readonly hadGroups: boolean;
}

function howItEnded({ exit, endCause, refusal }: DeathFacts): string {
  if (exit.problem !== undefined) return `could not be started: ${exit.problem}`;
  if (refusal !== undefined) return `refused its configuration: ${refusal}`;
  if (endCause !== undefined) return exit.signal === null ? endCause : `${endCause} (${exit.signal})`;
  if (exit.signal !== null) return `killed by ${exit.signal}`;
  return exit.exitCode === 0 ? 'exited though nobody asked it to' : `exited with code ${exit.exitCode}`;
}

/** Words for a death; without `left` its processes are still being ended. */
export function deathReason(facts: DeathFacts, left?: EndResult): string {
  const parts = [howItEnded(facts)];
  if (!facts.wasReady && facts.endCause === undefined && facts.exit.problem === undefined)
    parts[0] += ' before it was ready';
  if (facts.task !== undefined) {
    const { command, isWaiting } = facts.task;
    parts[0] += ` while it ${isWaiting ? 'waited for the approval of' : 'ran'} "${shortCommand(command)}"`;
  }
  if (left === undefined) parts.push('ending what it started');
  else if (left.endedCount > 0) parts.push(`${processCount(left.endedCount)} that it had started ended too`);
  else parts.push(facts.hadGroups ? 'what it had started ended too' : 'nothing that it started is left');
  if (left !== undefined && left.remainingPids.length > 0)
    parts.push(`could not be ended: pid ${left.remainingPids.join(', ')}`);
  return parts.join('; ');
}
