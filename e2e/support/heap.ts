/** What the page's JavaScript holds, read by the debugger. */
import type { Page } from '@playwright/test';

/** For Electron: a snapshot otherwise cuts every string after 1 024 characters. */
export const wholeStringsArgument = '--js-flags=--heap-snapshot-string-limit=100000000';

/** A snapshot of the page's heap as text, after everything that nothing refers to has been collected. */
export async function heapSnapshot(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('');
}
