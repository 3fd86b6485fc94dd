/** The bridge as the page has it: calls, snapshots and feeds, without the product's own client. */
import type { Page } from '@playwright/test';
import type { AppContract } from '../../src/shared/contract/app-contract.ts';
import type {
  Bridge,
  FeedMessage,
  ResultEnvelope,
  SnapshotName,
  SnapshotValue,
} from '../../src/shared/contract/define-contract.ts';
import type { BufferedMessage, SessionFrame } from '../../src/shared/contract/streams-contract.ts';

declare global {
  interface Window {
    readonly bridge: Bridge;
  }
}

/** Calls a method as any script of the page can; the answer is the envelope of main. */
export function invoke(page: Page, method: unknown, input: unknown, callId?: unknown): Promise<ResultEnvelope> {
  return page.evaluate(
    (call) => window.bridge.invoke((call.callId ?? crypto.randomUUID()) as string, call.method as string, call.input),
    { method, input, callId },
  );
}

/** The value of a call that must succeed. */
export async function call<Value = unknown>(page: Page, method: string, input: unknown): Promise<Value> {
  const result = await invoke(page, method, input);
  if (!result.ok) throw new Error(`${method}: ${result.error.code}: ${result.error.message}`);
  return result.value as Value;
}

/** The present value of a snapshot. */
export function readSnapshot<Name extends SnapshotName<AppContract>>(
  page: Page,
  name: Name,
): Promise<SnapshotValue<AppContract, Name>> {
  return page.evaluate(
    (wanted) =>
      new Promise<unknown>((resolve) => {
        const stop = window.bridge.onSnapshot((update) => {
          if (update.name !== wanted) return;
          stop();
          resolve(JSON.parse(update.text));
        });
      }),
    name,
  ) as Promise<SnapshotValue<AppContract, Name>>;
}

/** What a command printed and how it went, read from the session's own feed. */
export interface TaskAccount {
  /** Bytes of each stream in order of their offsets, as base64 chunks; empty unless asked for. */
  readonly chunks: Readonly<Record<'stdout' | 'stderr', readonly string[]>>;
  readonly shownBytes: number;
  /** Bytes that offsets skip: they left the engine's buffer before this feed saw them. */
  readonly missingBytes: number;
  /** Messages that the feed says it lost. */
  readonly droppedCount: number;
  /** Whether offsets only grew. */
  readonly isInOrder: boolean;
  readonly final: {
    readonly state: string;
    readonly detail?: { readonly reason?: string; readonly exitCode?: number };
  };
}

/**
 * Follows a session from its first message that is held until the final status of a task, or its first output if that is
 * enough; each credit goes back at once.
 */
export function followTask(
  page: Page,
  { session, taskId }: { readonly session: string; readonly taskId: string },
  {
    keepsChunks = false,
    isFirstEnough = false,
  }: { readonly keepsChunks?: boolean; readonly isFirstEnough?: boolean } = {},
): Promise<TaskAccount> {
  return page.evaluate(
    (wanted) =>
      new Promise<TaskAccount>((resolve, reject) => {
        const feedId = crypto.randomUUID();
        const chunks = { stdout: [] as string[], stderr: [] as string[] };
        const next = { stdout: 0, stderr: 0 };
        const sum = { shownBytes: 0, missingBytes: 0, droppedCount: 0, isInOrder: true };
        const takeOutput = (chunk: { stream: 'stdout' | 'stderr'; offset: number; bytes: string }): void => {
          const sizeBytes = atob(chunk.bytes).length;
          if (chunk.offset < next[chunk.stream]) sum.isInOrder = false;
          sum.missingBytes += chunk.offset - next[chunk.stream];
          sum.shownBytes += sizeBytes;
          next[chunk.stream] = chunk.offset + sizeBytes;
          if (wanted.keepsChunks) chunks[chunk.stream].push(chunk.bytes);
        };
        const takeFrame = (frame: SessionFrame): TaskAccount['final'] | undefined => {
          sum.droppedCount += frame.dropped;
          for (const { type, payload } of frame.items) {
            if (type === 'vak.events.terminal') {
              takeOutput(JSON.parse(payload));
              if (wanted.isFirstEnough) return { state: 'not waited for' };
            }
            if (type !== 'vak.events.status') continue;
            const status = JSON.parse(payload);
            if (status.taskId === wanted.taskId && /^(done|failed)$/.test(status.state)) return status;
          }
          return undefined;
        };
        const onPort = (event: MessageEvent): void => {
          if (event.data?.bridgeFeed !== feedId) return;
          window.removeEventListener('message', onPort);
          const port = event.ports[0] as MessagePort;
          port.onmessage = ({ data }: MessageEvent<FeedMessage>) => {
            if ('error' in data) return reject(new Error(`${data.error.code}: ${data.error.message}`));
            const final = takeFrame(JSON.parse(data.frame));
            if (final === undefined) return port.postMessage({ credits: 1 });
            port.close();
            resolve({ ...sum, chunks, final });
          };
        };
        window.addEventListener('message', onPort);
        window.bridge.openFeed(feedId, 'streams.session', { session: wanted.session, fromSeq: 0 });
      }),
    { session, taskId, keepsChunks, isFirstEnough },
  );
}

/** The bytes that chunks stand for. */
export function bytesOf(chunks: readonly string[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')));
}

/** The exact bytes of one message. */
export async function readBytes(page: Page, seq: number): Promise<Buffer> {
  const bytes = await page.evaluate(async (wanted) => {
    const result = await window.bridge.invoke(crypto.randomUUID(), 'streams.read', { seq: wanted });
    return result.ok ? [...(result.value as { bytes: Uint8Array }).bytes] : [];
  }, seq);
  return Buffer.from(bytes);
}

/** A message with what is known of its trust; its bytes are left out. */
export function readMessage(page: Page, seq: number): Promise<Omit<BufferedMessage, 'bytes'>> {
  return page.evaluate(async (wanted) => {
    const result = await window.bridge.invoke(crypto.randomUUID(), 'streams.read', { seq: wanted });
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    const { bytes: _, ...message } = result.value as BufferedMessage;
    return message;
  }, seq);
}

/** Every message that the engine holds, with its trust. */
export async function readMessages(page: Page): Promise<Omit<BufferedMessage, 'bytes'>[]> {
  const { newestSeq } = await readSnapshot(page, 'streams.status');
  return await Promise.all(Array.from({ length: newestSeq }, (_, index) => readMessage(page, index + 1)));
}

/** Which worker took a task. */
export interface TakenTask {
  readonly taskId: string;
  readonly peer: string;
  readonly session: string;
}

/** Gives a command to a worker. */
export function runCommand(page: Page, ...command: readonly string[]): Promise<TakenTask> {
  return call<TakenTask>(page, 'swarm.run', { command, cwd: '/' });
}

async function publishBurst(page: Page, form: 'bare' | 'sealed', session: string, count: number): Promise<string> {
  const input = { session, count, textLength: 64, form };
  const made = await call<{ publishedCount: number; session: string }>(page, 'developer.burst', input);
  if (made.publishedCount !== count) throw new Error(`the bus took ${made.publishedCount} of ${count}`);
  return made.session;
}

/** Publishes messages at once, bytes without an envelope; every one must be taken by the bus. */
export async function burst(page: Page, session: string, count: number): Promise<void> {
  await publishBurst(page, 'bare', session, count);
}

/** Publishes sealed and signed messages of a session whose id begins with that name; gives the id. */
export function burstSealed(page: Page, session: string, count: number): Promise<string> {
  return publishBurst(page, 'sealed', session, count);
}
