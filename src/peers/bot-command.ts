/** Runs a bot's command: a question on its stdin, the answer on its stdout, bounded in time and size, and no secret in reach (cli.md, protocol.md I3). */
import { createSessionId } from '../engine/ports/randomness.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { removeStalePipes } from '../engine/work/command-pipes.ts';
import { type CommandDeps, type CommandRun, runCommand } from '../engine/work/command-runner.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import { createProcessTable } from '../engine/work/process-table.ts';
import { toTextStrict, utf8 } from '../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../shared/base/disposer.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import { startTrace } from '../shared/protocol/trace-context.ts';
import type { CliHost } from './cli/command.ts';

export type BotAnswer =
  | { readonly kind: 'answer'; readonly text: string }
  /** It has nothing to say. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'failed'; readonly reason: string; readonly exitCode?: number; readonly stderr?: string };

export interface BotCommand extends Disposable {
  /** Asks it; never rejects. */
  ask(question: object): Promise<BotAnswer>;
  /** Ends what runs: asks, and kills after a moment. */
  stopAll(): void;
}

export interface BotCommandOptions {
  /** For `sh -c`. */
  readonly exec: string;
  readonly peer: string;
  readonly timeoutMs: number;
  readonly cwd: string;
}

/** A text of a room takes so much (R13), and what the command says beside it is not read without end. */
const maxAnswerBytes = 64 * 1024;
const maxOutputBytes = 2 * maxAnswerBytes;
const maxTold = 1_024;
/** Answers are text: no signs for a terminal's colours. */
const plainOutput = { TERM: 'dumb', FORCE_COLOR: '0', CLICOLOR_FORCE: '0', NO_COLOR: '1' };

interface Printed {
  readonly stdout: Uint8Array[];
  readonly stderr: Uint8Array[];
}

function answerOf({ stdout }: Printed): BotAnswer {
  const bytes = Buffer.concat(stdout);
  if (bytes.length > maxAnswerBytes) {
    return { kind: 'failed', reason: `its answer has ${bytes.length} bytes, ${maxAnswerBytes} fit into a message` };
  }
  try {
    const text = toTextStrict(bytes, 'stdout').trim();
    return text === '' ? { kind: 'silent' } : { kind: 'answer', text };
  } catch (error) {
    if (isVakError(error)) return { kind: 'failed', reason: 'its answer is not UTF-8' };
    throw error;
  }
}

/** Collects what a command prints instead of publishing it: it is said in the room, or nowhere. */
function partsFor(printed: Printed): Pick<CommandDeps, 'publisher' | 'output'> {
  const nothing = (): void => {};
  return {
    publisher: { status: nothing, terminal: nothing, telemetry: nothing, isWritable: async () => true },
    output: {
      begin: nothing,
      flush: nothing,
      dispose: nothing,
      push: (stream, bytes) => void printed[stream].push(bytes),
    },
  };
}

/** Creates it; what it starts ends with this process, however that ends. */
export function createBotCommand({ exec, peer, timeoutMs, cwd }: BotCommandOptions, host: CliHost): BotCommand {
  const { clock, randomness, logger, environment } = host;
  removeStalePipes();
  const held = createDisposer();
  const session = createSessionId(peer, randomness);
  const guardian = held.add(createGuardian({ logger, marker: sessionMarker(session) }));
  const groups = { started: guardian.add, ended: guardian.remove };
  const table = createProcessTable();
  const runs = new Set<CommandRun>();

  return {
    async ask(question) {
      const printed: Printed = { stdout: [], stderr: [] };
      const deps = { ...partsFor(printed), clock, logger, table, groups, session, environment, cwd };
      const run = runCommand(deps, {
        taskId: session,
        task: { command: ['sh', '-c', exec], env: plainOutput, timeoutMs, outputLimitBytes: maxOutputBytes },
        stdin: utf8(`${JSON.stringify(question)}\n`),
        span: startTrace(randomness.bytes),
      });
      runs.add(run);
      try {
        const { state, detail } = await run.done;
        if (state === 'done') return answerOf(printed);
        const stderr = Buffer.concat(printed.stderr).toString().trim().slice(-maxTold);
        const { exitCode } = detail;
        return {
          ...{ kind: 'failed', reason: detail.reason },
          ...(exitCode === undefined ? {} : { exitCode }),
          ...(stderr === '' ? {} : { stderr }),
        };
      } finally {
        runs.delete(run);
      }
    },
    stopAll() {
      for (const run of runs) run.stop('worker-stopping');
    },
    dispose: () => held.dispose(),
  };
}
