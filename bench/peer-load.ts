/** The load's process, as the bench orders it. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadAnswer, LoadOrder, LoadReport, LoadSecrets } from './load-frames.ts';

export interface PeerLoad {
  /** By peer. */
  readonly sessions: readonly string[];
  /** What was written, for people. */
  readonly about: string;
  /** Lets the first so many peers speak. */
  play(peers: number): Promise<void>;
  /** Ends it; what was sent is at the server then. */
  stop(): Promise<LoadReport>;
  close(): void;
}

type Answer<Kind extends LoadAnswer['kind']> = Extract<LoadAnswer, { readonly kind: Kind }>;

function ask<Kind extends LoadAnswer['kind']>(
  program: ChildProcess,
  order: LoadOrder,
  wanted: Kind,
): Promise<Answer<Kind>> {
  return new Promise((resolve, reject) => {
    const onEnd = (): void => reject(new Error(`the load ended at ${order.kind}`));
    program.once('exit', onEnd);
    program.once('message', (answer: LoadAnswer) => {
      program.off('exit', onEnd);
      if (answer.kind === wanted) resolve(answer as Answer<Kind>);
      else reject(new Error(`the load at ${order.kind}: ${answer.kind === 'failed' ? answer.why : answer.kind}`));
    });
    program.send(order);
  });
}

/** Starts the process and lets it write what all peers say in so many seconds. The bench's bundle has the program beside it. */
export async function startPeerLoad(url: string, secrets: LoadSecrets, seconds: number): Promise<PeerLoad> {
  const program = fork(fileURLToPath(new URL('load-program.mjs', import.meta.url)), { execArgv: [] });
  try {
    const { envelopes, bytes, tookMs, sessions } = await ask(
      program,
      { kind: 'prepare', url, secrets, seconds },
      'prepared',
    );
    const rate = Math.round((envelopes * 1000) / tookMs);
    return {
      sessions,
      about: `${envelopes} envelopes of ${Math.round(bytes / envelopes)} bytes, written at ${rate}/s`,
      async play(peers) {
        await ask(program, { kind: 'play', peers }, 'playing');
      },
      stop: () => ask(program, { kind: 'stop' }, 'stopped'),
      close: () => void program.kill('SIGKILL'),
    };
  } catch (error) {
    program.kill('SIGKILL');
    throw error;
  }
}
