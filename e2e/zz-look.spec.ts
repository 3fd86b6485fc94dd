import { call, readSnapshot } from './support/bridge.ts';
import { test } from './support/workbench.ts';
test('look', async ({ workbench }) => {
  test.setTimeout(240_000);
  const { page, app } = workbench;
  const size = async (w: number, h: number) => { for (let i=0;i<3;i++) try { await app.evaluate(({ BrowserWindow }, [w, h]) => { BrowserWindow.getAllWindows()[0]?.setContentSize(w as number, h as number); return 1; }, [w, h]); return; } catch {} };
  await size(1440, 900);
  await page.screenshot({ path: '/tmp/look/0-empty.png' });
  const t0 = Date.now();
  await call(page, 'swarm.start', { workers: 4 });
  for (let i = 0; i < 7; i++) {
    const q = await readSnapshot(page, 'queues.state');
    const a = await readSnapshot(page, 'approvals.state');
    const o = await readSnapshot(page, 'operations.state');
    console.log(Date.now() - t0, JSON.stringify(q.queues.map((x: any) => [x.queue, x.lag, x.inFlightCount, x.health, x.outcomes])), a.pending.length, JSON.stringify(o.incidents.map((x: any) => [x.id, x.title])), JSON.stringify(q.supervisor));
    await page.waitForTimeout(5000);
  }
  for (const theme of ['dark', 'light']) {
    await call(page, 'settings.set', { key: 'look.theme', value: theme });
    for (const [w, h] of [[1440, 900], [1024, 700], [1920, 1080]] as const) {
      await size(w, h);
      for (const [k, name] of [['1', 'ops'], ['2', 'streams'], ['3', 'queues'], ['6', 'approvals']] as const) {
        await page.keyboard.press(`Control+${k}`);
        await page.waitForTimeout(600);
        await page.screenshot({ path: `/tmp/look/${theme}-${w}-${name}.png` });
      }
    }
  }
  await page.keyboard.press('Control+3');
  await page.waitForTimeout(300);
  await page.getByText('local', { exact: true }).first().click();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(1500);
  await page.screenshot({ path: '/tmp/look/queue-detail.png' });
  await call(page, 'swarm.stop', {});
});
