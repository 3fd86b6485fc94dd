/** axe finds nothing in any view, theme and size, empty and at work (quality.md §2). */
import { expect, type Page } from '@playwright/test';
import { approvalReport } from '../tests/support/approval-reports.ts';
import { sizes, themes, violations } from './support/axe.ts';
import { burst, call, readSnapshot } from './support/bridge.ts';
import { createOtherPeer } from './support/other-peer.ts';
import { newestTask, openSession } from './support/streams-page.ts';
import { tellSnapshot } from './support/told-snapshot.ts';
import { setPageSize, shareWorkbench, test } from './support/workbench.ts';

async function chooseTheme(page: Page, theme: (typeof themes)[number]): Promise<void> {
  await page.keyboard.press('Control+9');
  await page.getByRole('radio', { name: theme === 'dark' ? /^Dark/ : /^Light/ }).check();
  await expect(page.locator(':root')).toHaveAttribute('data-theme', theme);
}

for (const theme of themes) {
  for (const [width, height] of sizes) {
    test.describe(`${theme} at ${width}×${height}`, () => {
      const shared = shareWorkbench();

      test('axe finds nothing in the nine views before anything has happened', async () => {
        const { page } = shared();
        await setPageSize(shared(), width, height);
        await chooseTheme(page, theme);
        for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
          await page.keyboard.press(`Control+${number}`);
          await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
          expect.soft(await violations(page), `view ${number}`).toEqual([]);
        }
      });

      test('axe finds nothing while the swarm works: messages, inspector, session, operations, dialogs', async () => {
        // Some twenty looks, each of about a second.
        test.setTimeout(90_000);
        const { page } = shared();
        await page.keyboard.press('Control+2');
        await burst(page, 'axe', 100);
        // The topmost one may stand half behind the header while the table follows.
        await page
          .getByTestId('live-row')
          .last()
          .click({ position: { x: 60, y: 10 } });
        await expect(page.getByTestId('inspector-overview')).toBeVisible();
        expect.soft(await violations(page), 'messages and inspector').toEqual([]);
        await page.getByTestId('live-table').press('End');
        for (const tampering of ['ciphertext', 'no-envelope']) await call(page, 'developer.tamper', { tampering });
        await page.getByTestId('live-row').filter({ hasText: 'no envelope around' }).waitFor();
        await page.getByTestId('pause-button').click();
        const rows = page.getByTestId('live-row');
        for (const [row, shown] of [
          [rows.last(), ['Overview']],
          [rows.filter({ hasText: 'changed on the way' }).last(), ['Overview', 'Encryption']],
          [
            rows.filter({ hasText: 'a sound message' }).last(),
            ['Payload', 'Encryption', 'Chain', 'Signature', 'Trace', 'Raw'],
          ],
        ] as const) {
          await row.click({ position: { x: 60, y: 10 } });
          for (const tab of shown) {
            await page.getByRole('tab', { name: tab, exact: true }).click();
            expect.soft(await violations(page), tab).toEqual([]);
          }
        }
        await page.getByTestId('inspector').getByRole('radio', { name: 'Hex' }).click();
        expect.soft(await violations(page), 'hex').toEqual([]);
        await page.getByTestId('pause-button').click();
        await page.getByTestId('inspector-close').click();
        await page.getByTestId('pause-button').click();
        expect.soft(await violations(page), 'paused').toEqual([]);
        await page.getByTestId('pause-button').click();
        const { session } = await call<{ session: string }>(page, 'swarm.run', {
          command: [
            'sh',
            '-c',
            'while :; do printf "\\033[31mred\\033[0m \\033[2mdim\\033[0m %s\\n" $$; sleep 0.1; done',
          ],
        });
        await openSession(page, session);
        await expect(newestTask(page)).toHaveAttribute('data-state', 'running');
        await expect(page.getByTestId('telemetry-readout')).toBeVisible();
        expect.soft(await violations(page), 'session').toEqual([]);
        await page.getByTestId('kill-worker').click();
        await expect(page.getByRole('alertdialog')).toBeVisible();
        expect.soft(await violations(page), 'guard dialog').toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+1');
        expect.soft(await violations(page), 'operations').toEqual([]);
        await page.keyboard.press('Control+k');
        await expect(page.getByRole('dialog', { name: 'Search or run' })).toBeVisible();
        expect.soft(await violations(page), 'palette').toEqual([]);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toBeHidden();
        await page.keyboard.press('Control+Enter');
        await expect(page.getByRole('dialog', { name: 'Run a command' })).toBeVisible();
        expect.soft(await violations(page), 'run dialog').toEqual([]);
        await page.keyboard.press('Escape');
        await call(page, 'swarm.stop', {});
      });

      // Their parts stand as they do at the smaller size.
      if (width > 1024) return;
      test('axe finds nothing in queues and approvals at work: table, detail, task, forms, answers', async () => {
        const { page } = shared();
        await call(page, 'queues.enqueue', { queue: 'axe', task: { command: ['true'] } });
        await page.keyboard.press('Control+3');
        await page.getByTestId('queue-table').press('j');
        await page.keyboard.press('Enter');
        await page.getByTestId('waiting-list').press('j');
        expect.soft(await violations(page), 'queue and what waits').toEqual([]);
        await page.keyboard.press('Enter');
        await page.keyboard.press('o');
        await expect(page.getByTestId('task-payload')).toBeVisible();
        expect.soft(await violations(page), 'opened task').toEqual([]);
        await page.getByRole('tab', { name: 'Outcomes' }).click();
        await expect(page.getByTestId('outcome-list')).toBeVisible();
        expect.soft(await violations(page), 'outcomes').toEqual([]);
        await page.getByRole('tab', { name: 'Workers' }).click();
        await page.keyboard.press('e');
        await page.getByTestId('template-approval').click();
        expect.soft(await violations(page), 'form of a task').toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+6');
        const nowMs = Date.now();
        await tellSnapshot(shared(), 'approvals.state', {
          ...{ readAtMs: nowMs, problem: null, leftOutCount: 1, refusedCount: 1 },
          pending: [approvalReport('r1', { detail: 'Why', askedMs: nowMs, expiresMs: nowMs + 50_000 })],
          past: [approvalReport('r2', { state: 'expired' })],
          refused: [
            {
              ...{ kind: 'verdict', seq: 1, atMs: nowMs, why: 'it counts twice' },
              author: {
                peer: 'olga',
                session: null,
                signer: 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4',
                isProven: false,
              },
            },
          ],
        });
        await expect(page.getByTestId('approval-detail')).toBeVisible();
        expect.soft(await violations(page), 'approval').toEqual([]);
        await page.keyboard.press('d');
        await page.getByTestId('answer-reason').press('Enter');
        expect.soft(await violations(page), 'answer').toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('tab', { name: 'Not counted' }).click();
        await page.getByTestId('approvals-refused').press('j');
        expect.soft(await violations(page), 'what does not count').toEqual([]);
      });

      test('axe finds nothing in identity and access: grants, peers, numbers, what-if, forms', async () => {
        const { page } = shared();
        const root = (await readSnapshot(page, 'identity.self'))?.rootPublic ?? '';
        for (const other of [createOtherPeer('bob', root), createOtherPeer('bob', root)]) {
          await call(page, 'access.addCard', { text: other.card });
          other.remove();
        }
        await page.keyboard.press('Control+8');
        await page.keyboard.press('2');
        await page.getByTestId('grant-operator').click();
        expect.soft(await violations(page), 'grants').toEqual([]);
        await page.keyboard.press('g');
        await page.getByTestId('grant-save').press('Enter');
        expect.soft(await violations(page), 'form of a grant').toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('3');
        await page.getByTestId('peer-bob').click();
        await expect(page.getByTestId('peer-changed')).toBeVisible();
        expect.soft(await violations(page), 'peers, one changed').toEqual([]);
        await page.keyboard.press('c');
        await page.getByTestId('safety-read').fill('12345');
        expect.soft(await violations(page), 'safety number').toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('4');
        for (const subject of ['vak.work.default.builds.task', 'vak.work. .task']) {
          await page.getByTestId('what-if-subject').fill(subject);
          expect.soft(await violations(page), `what if ${subject}`).toEqual([]);
        }
      });
    });
  }
}
