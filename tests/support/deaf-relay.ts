/** A relay before a server that goes deaf at a certain word: what is said after it is lost on one way, and the connection stays. */
import { connect, createServer, type Socket } from 'node:net';

export interface DeafRelay {
  /** `nats://…` of the relay. */
  readonly url: string;
  /** At the first word from a client that fits, the word and all after it (`asked`), or all answers after it (`answers`), are lost. */
  deafenAt(word: RegExp, lost: 'asked' | 'answers'): void;
  /** Resolves when the word was said. */
  readonly isDeaf: Promise<void>;
  /** Hears everything again, on new connections. */
  cure(): void;
  close(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startDeafRelay(port: number): Promise<DeafRelay> {
  let wanted: { readonly word: RegExp; readonly lost: 'asked' | 'answers' } | undefined;
  let onDeaf = (): void => {};
  const isDeaf = new Promise<void>((resolve) => {
    onDeaf = resolve;
  });
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1' });
    let lost: 'asked' | 'answers' | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // Either end may be killed at any time.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (wanted?.word.test(chunk.toString('latin1'))) {
        lost = wanted.lost;
        onDeaf();
      }
      if (lost !== 'asked') upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (lost === undefined) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return {
    ...{ url: `nats://127.0.0.1:${address.port}`, isDeaf },
    deafenAt(word, lost) {
      wanted = { word, lost };
    },
    cure() {
      wanted = undefined;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
