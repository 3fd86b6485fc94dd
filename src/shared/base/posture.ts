/** How well an engine, its server and the way there protect what goes over them, in words for app and command line. Law: pure. */
import type { ConnectionKind, MissingFeature } from '../contract/connections-contract.ts';

/** A part, judged. `weak`: something can be done about it, and `advice` says what. `unknown`: that is not known yet. */
export interface Judged {
  readonly tone: 'ok' | 'weak' | 'unknown';
  readonly words: string;
  readonly advice: string | null;
}

/** As it should be. */
export const judgedOk = (words: string): Judged => ({ tone: 'ok', words, advice: null });
/** It could be better. */
export const judgedWeak = (words: string, advice: string): Judged => ({ tone: 'weak', words, advice });
/** Nobody can tell yet. */
export const notJudged = (words: string): Judged => ({ tone: 'unknown', words, advice: null });

/** An engine by its kind, where nothing is wrong with it. */
export function judgeEngine(kind: ConnectionKind): Judged {
  if (kind === 'embedded') return judgedOk('embedded: what is acknowledged is written to this disk');
  if (kind === 'managed') return judgedOk('a nats-server that the app runs, with its store on this disk');
  return judgedOk('a NATS server');
}

/** What is known of a server. */
export interface ServerFacts {
  readonly kind: ConnectionKind | undefined;
  /** Null: none has answered. Its words are its own. */
  readonly server: { readonly name: string; readonly version: string } | null;
  readonly missing: readonly MissingFeature[];
}

/** The server of a connection, by what it answered (B9). */
export function judgeServer({ kind, server, missing }: ServerFacts): Judged {
  if (kind === 'embedded') return judgedOk('none is needed');
  if (server === null) return notJudged('no server has answered yet');
  const words = `${server.name} ${server.version}`;
  const durable = missing.find(({ feature }) => feature === 'streams');
  if (durable === undefined) return judgedOk(`${words}, JetStream on`);
  return judgedWeak(`${words}, without JetStream`, `It needs ${durable.needs}: without it there are no queues.`);
}

/** Whether an address leads no further than this machine: `localhost`, 127.0.0.0/8, `[::1]`. */
function isLoopback(url: string): boolean {
  const host = /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/i.exec(url)?.[1] ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The way to a server. `url`: addresses with commas between; `kind` undefined: the connection is not in the settings. */
export function judgeTransport(kind: ConnectionKind | undefined, url: string | null): Judged {
  if (kind === 'embedded') return judgedOk('inside the process of the app');
  if (kind === 'managed') return judgedOk('loopback, with credentials of its own');
  if (url === null) return notJudged('the connection has no address');
  const urls = url.split(',').map((one) => one.trim());
  const isTls = (one: string): boolean => one.startsWith('tls://');
  if (urls.every(isTls)) return judgedOk('TLS is demanded');
  if (urls.every((one) => isTls(one) || isLoopback(one))) return judgedOk('no TLS, and no further than this machine');
  return judgedWeak(
    'no TLS: payloads are sealed, but subjects, sizes and passwords can be read on the way',
    'Give the server a certificate, and its address as tls://.',
  );
}
