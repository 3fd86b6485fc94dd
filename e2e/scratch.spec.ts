import { call } from './support/bridge.ts';
import { setPageSize, test } from './support/workbench.ts';

test('scratch', async ({ workbench }) => {
  test.setTimeout(280_000);
  const { page, app } = workbench;
  let n = 1e9;
  const fake = (name: string, value: unknown) =>
    app.evaluate(({ BrowserWindow }, u) => BrowserWindow.getAllWindows()[0]?.webContents.send('bridge:snapshot', u), { name, version: ++n, value });
  const shot = async (name: string) => {
    await page.screenshot({ path: `/tmp/shots8/${name}.png`, animations: 'disabled', caret: 'hide' });
  };
  const now = Date.now();
  const health = ['ok', 'idle', 'paused', 'stuck', 'no-consumer'] as const;
  const queue = (i: number) => {
    const h = health[i % 5];
    const lag = h === 'idle' ? 0 : [12, 1204, 61_004, 1_204_332][i % 4]!;
    return {
      queue: i === 3 ? 'x'.repeat(64) : `${['render', 'transcode', 'ingest', 'audit-log', 'notify_users'][i % 5]}-${i}`,
      pendingCount: Math.floor(lag * 0.9), inFlightCount: lag - Math.floor(lag * 0.9), redeliveredCount: i % 3, lag,
      oldestMs: lag ? now - (i + 1) * 71_000 : null, inPerSec: i * 1.234, outPerSec: i * 0.9, drainMs: i % 2 ? i * 61_000 : null, maxDeliver: 4,
      waitingCount: h === 'ok' ? 3 : 0, lastClaimMs: i % 7 === 0 ? null : now - i * 3000, health: h, healthSinceMs: now - 400_000,
      paused: h === 'paused' ? { by: 'operator', sinceMs: now - 400_000 } : null,
      lagHistory: Array.from({ length: 150 }, (_, t) => Math.max(0, Math.round(lag * (0.6 + 0.4 * Math.sin((t + i * 13) / 17))))),
      trend: (['rising', 'falling', 'steady'] as const)[i % 3],
      outcomes: { queued: lag, retrying: 3, done: 18_204, dead: 12, 'finished-late': 1, lost: 2, purged: 400 },
      workers: Array.from({ length: i % 6 }, (_, w) => ({ peer: `worker-${w}`, doneCount: 4000 * w, failedCount: w, lastMs: now - w * 5000 })),
    };
  };
  const state = (count: number, more = {}) => ({ readAtMs: now, problem: null, sampleMs: 2000, leftOutCount: count > 100 ? 34 : 0, supervisor: { kind: 'running', why: null }, queues: Array.from({ length: count }, (_, i) => queue(i)), ...more });
  await setPageSize(workbench, 1024, 700);
  await call(page, 'queues.enqueue', { queue: 'render-0', task: { command: ['sh', '-c', 'echo'] } });
  await page.keyboard.press('Control+3');
  await fake('queues.state', { ...state(0), readAtMs: null, queues: [] });
  await page.waitForTimeout(400);
  await shot('f-skeleton');
  await fake('queues.state', { ...state(0), readAtMs: null, queues: [], problem: { code: 'disconnected', message: 'queues: the server tls://a:4222 does not answer', retryable: true } });
  await page.waitForTimeout(300);
  await shot('f-unread');
  await fake('queues.state', state(200));
  await page.waitForTimeout(500);
  await shot('f-200-1024-light');
  await page.keyboard.press('Control+9');
  await page.getByRole('radio', { name: /^Dark/ }).check();
  await page.keyboard.press('Control+3');
  await shot('f-200-1024-dark');
  await page.getByTestId('queue-head-lag').click();
  await page.waitForTimeout(200);
  await fake('queues.state', state(200, { problem: { code: 'disconnected', message: 'queues: the server tls://a:4222 does not answer', retryable: true }, supervisor: { kind: 'failed', why: 'the stream of advisories is gone' } }));
  await page.waitForTimeout(200);
  await shot('f-stale-1024-dark');
  await page.getByTestId('queue-filter').fill('nothing like it');
  await page.waitForTimeout(200);
  await shot('f-nomatch-1024-dark');
  await page.getByTestId('queue-filter').press('Escape');
  await fake('queues.state', state(12));
  await page.getByTestId('queue-head-name').click();
  await page.locator('[data-key="render-0"]').click();
  await page.waitForTimeout(600);
  await page.getByRole('tab', { name: 'Workers' }).click();
  await page.waitForTimeout(300);
  await shot('f-detail-1024-dark');
  await setPageSize(workbench, 1920, 1080);
  await page.waitForTimeout(600);
  await shot('f-detail-1920-dark');
  await fake('queues.state', state(0, { queues: [queue(1), queue(2)] }));
  await page.waitForTimeout(300);
  await shot('f-gone-1920-dark');
  // approvals
  const ap = (i: number, more = {}) => ({
    requestId: `r${i}`, title: ['Remove the cache of shot_05 (4.1 GiB)', 'Deploy to production', 'Drop\u202E elbat', 'A very long title '.repeat(20)][i % 4],
    detail: i % 3 ? 'The disk of render-7 is 97 % full.\nNothing else refers to these files.' : '', command: i % 5 === 4 ? null : [['rm', '-rf', 'cache/shot_05'], ['/bin/sh', '-c', 'set -e\ncd /srv/app\ngit pull --ff-only\n./deploy.sh --env "prod" | tee deploy.log\n# \u202Egnp.exe'], ['psql', '-c', "drop table \"users\"; -- it's\u200b over"], ['sh', '-c', 'x'.repeat(9000)]][i % 4],
    peer: `render-${i}`, session: `r-${i}`, taskId: `01a22c5e-72ba-708c-9ad2-e40c752dab${10 + i}`, queue: i % 2 ? 'render' : null, askedMs: now - 60_000 * (5 - i), expiresMs: now + [41_000, 240_000, 3_600_000, 90_000_000, 5000][i % 5]!, state: 'pending', verdict: null, ...more,
  });
  const approvals = (more = {}) => ({ readAtMs: now, problem: null, pending: [0, 1, 2, 3, 4].map((i) => ap(i)), leftOutCount: 3, past: [
    ap(11, { state: 'approved', verdict: { decision: 'approve', by: 'operator', reason: null, atMs: now - 30_000 } }),
    ap(12, { state: 'denied', verdict: { decision: 'deny', by: 'anna', reason: 'Not at night: wait until the render is done.', atMs: now - 90_000 } }),
    ap(13, { state: 'expired', expiresMs: now - 100_000 }),
  ], refusedCount: 60, refused: [{ kind: 'verdict', seq: 1204, atMs: now - 3000, why: 'verdict of worker-3: it holds no role that may answer (W8)' }, { kind: 'request', seq: 1100, atMs: now - 9000, why: 'request for a task of another peer' }], ...more });
  await page.keyboard.press('Control+6');
  await page.waitForTimeout(500);
  await shot('a-empty-1920-dark');
  await fake('approvals.state', approvals());
  await page.waitForTimeout(500);
  await shot('a-pending-1920-dark');
  await setPageSize(workbench, 1024, 700);
  await page.getByTestId('approvals-pending').press('j');
  await page.waitForTimeout(300);
  await shot('a-pending-1024-dark');
  await page.keyboard.press('a');
  await page.waitForTimeout(300);
  await shot('a-approve-1024-dark');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  await shot('a-deny-1024-dark');
  await page.getByTestId('answer-reason').fill('no');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(800);
  await shot('a-deny-failed-1024-dark');
  await fake('approvals.state', approvals({ pending: [ap(0)], past: [ap(3, { state: 'denied', verdict: { decision: 'deny', by: 'anna', reason: 'No.', atMs: now } })] }));
  await page.waitForTimeout(800);
  await shot('a-over-1024-dark');
  await page.keyboard.press('Escape');
  await page.waitForTimeout(300);
  await shot('a-after-1024-dark');
  await page.keyboard.press('Control+9');
  await page.getByRole('radio', { name: /^Light/ }).check();
  await page.keyboard.press('Control+6');
  await fake('approvals.state', approvals({ problem: { code: 'disconnected', message: 'no', retryable: true } }));
  await page.getByRole('tab', { name: 'Answered' }).click();
  await page.waitForTimeout(300);
  await page.getByTestId('approvals-past').press('j');
  await page.keyboard.press('j');
  await page.waitForTimeout(300);
  await shot('a-past-1024-light');
  await page.getByRole('tab', { name: 'Not counted' }).click();
  await page.getByTestId('approvals-refused').press('j');
  await page.waitForTimeout(300);
  await shot('a-refused-1024-light');
});
