/**
 * A peer's process as the swarm sees it, whoever started it.
 * Law: `onExit` tells once, whatever way the process ended, and also if it never began.
 */
import type { Readable } from 'node:stream';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ChannelPort } from '../bus/channel/channel-port.ts';
import type { Logger } from '../ports/logger.ts';

/** How a process ended. */
export interface PeerExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it never began, for people. */
  readonly problem?: string;
}

export interface LaunchedPeer extends ChannelPort {
  /** Null until it has begun. */
  readonly pid: number | null;
  onExit(listener: (exit: PeerExit) => void): Disposable;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

const maxLines = 200;
const maxLineLength = 2_000;

/** Logs what a peer writes to stderr, line by line, bounded: 200 lines of 2 000 characters, the rest is read and dropped. */
export function logStderr(stderr: Readable, peer: string, logger: Logger): void {
  let rest = '';
  let lines = 0;
  const log = (text: string): void => {
    if (text.trim() === '' || lines > maxLines) return;
    if (++lines > maxLines) logger.warn('peer.stderr-muted', { peer, lines: maxLines });
    else logger.info('peer.stderr', { peer, text: text.slice(0, maxLineLength) });
  };
  stderr.setEncoding('utf8');
  stderr.on('error', () => {});
  stderr.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(0, maxLineLength);
    for (const part of parts) log(part);
  });
  stderr.on('end', () => log(rest));
}
