/** Stores that were damaged while the app was closed: it starts, changes nothing of them, and says so. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { damageJournal } from '../tests/support/journal-folder.ts';
import { call, readSnapshot } from './support/bridge.ts';
import { setPageSize, startWorkbench, test } from './support/workbench.ts';

test('B6 a damaged store of the embedded engine is read-only, and said in the title bar and the Operations Center', async ({
  profile,
}) => {
  const first = await startWorkbench(profile);
  await call(first.page, 'swarm.start', { workers: 1 });
  await call(first.page, 'swarm.stop', {});
  await first.end();
  const folder = join(profile, 'engine');
  damageJournal(folder);
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    expect((await readSnapshot(page, 'connections.state')).missing).toMatchObject([{ feature: 'storing' }]);
    await page.keyboard.press('Control+1');
    await setPageSize(workbench, 1024, 700);
    await expect(page.getByText('The store is read-only')).toBeVisible();
    await expect(page.getByText(/is damaged .*nothing is changed/).first()).toBeVisible();
    await page.getByTestId('connection-mark').hover();
    await expect(page.getByRole('tooltip')).toContainText('Nothing can be stored: the journal in');
    expect(existsSync(folder) && readdirSync(folder).length).toBeGreaterThan(0);
    await workbench.quit();
    const errors = workbench.readLog().filter(({ level }) => level === 'error');
    expect(errors.map(({ event }) => event)).toEqual(['journal-read-only']);
  } finally {
    await workbench.kill();
  }
});
