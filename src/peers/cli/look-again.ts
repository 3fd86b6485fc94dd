/** A command that looks again and again, through outages, until a signal comes or nobody reads (cli.md, protocol.md B8). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { pause } from '../../engine/wait.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CliHost, CommandInput } from './command.ts';
import { readSeconds } from './number-input.ts';
import { createOutageTalk } from './outage-talk.ts';

const usualMs = 2_000;

/** How often a command with `[SECONDS]` and `--watch` looks, ms; undefined: once. Throws `invalid-input`; `hint`: what else it may mean. */
export function readInterval({ args: [text], isOn }: CommandInput, hint: string): number | undefined {
  if (text === undefined) return isOn('watch') ? usualMs : undefined;
  if (!isOn('watch')) throw new VakError('invalid-input', hint);
  return readSeconds(text, 'SECONDS');
}

export interface LookAgain {
  readonly everyMs: number;
  /** Gives the text of a look; a blank line goes before all but the first if `isSpaced`. */
  readonly look: () => Promise<string>;
  readonly isSpaced: boolean;
  /** The connection is back: what was heard is not all. */
  readonly onBack?: () => void;
}

/** Looks and prints. Throws what the first look throws, and when the connection is closed for good. */
export async function lookAgain(fabric: Fabric, { everyMs, look, isSpaced, onBack }: LookAgain, host: CliHost) {
  const { clock, output, signal } = host;
  let closed: VakError | undefined;
  const following = fabric.onStatus(
    createOutageTalk(host, {
      lost: 'vak: the connection is lost; it is sought until it is back',
      back(after) {
        onBack?.();
        return `vak: the connection is back after ${after}`;
      },
      onClosed(error) {
        closed = error;
      },
    }),
  );
  output.talk(`vak: looks every ${everyMs / 1_000} s`);
  try {
    let isFirst = true;
    while (!signal.aborted && (await output.isTaken())) {
      if (closed !== undefined) throw closed;
      try {
        const text = await look();
        output.print(isFirst || !isSpaced ? text : `\n${text}`);
        isFirst = false;
      } catch (error) {
        const isOutage = isVakError(error, 'disconnected') || isVakError(error, 'timeout');
        if (isFirst || !isOutage) throw error;
      }
      await pause(clock, everyMs, signal);
    }
  } finally {
    following.dispose();
  }
}
