/** Identity & access: grants that a worker works by, safety numbers of two profiles, and what the policy says (protocol.md A5, I2, I4). */
import { expect, type Page } from '@playwright/test';
import { startNatsServer } from '../tests/support/nats-server.ts';
import { readSnapshot } from './support/bridge.ts';
import { createOtherPeer, mustRun, type OtherPeer } from './support/other-peer.ts';
import { vak, worker } from './support/set-up-profile.ts';
import { startWorkbench, test, type Workbench } from './support/workbench.ts';

async function rootOf({ page }: Workbench): Promise<string> {
  return (await readSnapshot(page, 'identity.self'))?.rootPublic ?? '';
}

const peerOf = async (page: Page, name: string) =>
  (await readSnapshot(page, 'access.peers')).peers.find(({ peer }) => peer === name);

/** Adds the card by keyboard, from whatever part of the view. */
async function addCard({ page }: Workbench, { card }: OtherPeer): Promise<void> {
  await page.keyboard.press('a');
  await expect(page.getByTestId('card-text')).toBeFocused();
  await page.keyboard.insertText(card);
  await page.getByTestId('card-add').press('Enter');
  await expect(page.getByTestId('card-text')).toBeHidden();
}

test('I4 a peer of another machine is granted a role and works; revoked, it does not', async ({ profile }) => {
  test.setTimeout(120_000);
  const server = await startNatsServer();
  const url = ['--nats-url', server.url];
  const { rootPublic } = JSON.parse(mustRun(profile, ['id', 'show', '--json']).stdout) as { rootPublic: string };
  const builder = createOtherPeer('builder', rootPublic, 'process');
  const secret = builder.file('secret', 'a secret that both machines have got, and nobody else');
  mustRun(profile, ['config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', secret]);
  builder.vak('config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', secret, '--id', 's2');
  mustRun(profile, ['provision', ...url]);
  mustRun(profile, ['config', 'bus', 'set', 'natsUrl', server.url]);
  const work = () => worker(builder.profile, [...url, '--identity', 'builder', '--', 'echo', 'done']);
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    expect(work()).toMatchObject({ code: 1, stderr: expect.stringContaining('let builder be granted') });
    await page.keyboard.press('Control+8');
    await page.keyboard.press('2');
    await addCard(workbench, builder);
    await page.keyboard.press('g');
    await expect(page.getByTestId('grant-peer')).toBeFocused();
    await page.keyboard.type('builder');
    await expect(page.getByTestId('grant-key')).toContainText('Nobody has compared it');
    await page.getByTestId('grant-role-worker').press('Space');
    await page.getByTestId('grant-save').press('Enter');
    await expect(page.getByTestId('grant-queues')).toBeFocused();
    await page.keyboard.type('local');
    await page.getByTestId('grant-save').press('Enter');
    const row = page.getByTestId('grant-builder');
    await expect(row).toHaveAttribute('data-standing', 'in-force');
    await expect(row).toHaveAttribute('aria-selected', 'true');
    expect(work()).toMatchObject({ code: 0, stderr: '' });

    await page.keyboard.press('t');
    await page.getByTestId('what-if-action-subscribe').click();
    await page.getByTestId('what-if-subject').fill('vak.work.default.local.task');
    await expect(page.getByTestId('what-if-answer')).toHaveText('Allowed by worker: subscribe work of its queue');

    await page.getByRole('tab', { name: /^Grants/ }).click();
    await page.keyboard.press('x');
    const exported = page.getByRole('dialog', { name: 'Export the access for a nats-server' });
    await expect(exported.getByTestId('export-text')).toHaveValue(/# builder(?:: its grant ends [^\n]*)?\n/);
    await page.getByTestId('export-format-jwt').click();
    await expect(exported.getByTestId('export-text')).toHaveValue(/# user JWT of builder\n/);
    await page.keyboard.press('Escape');
    await row.click();
    await page.keyboard.press('Delete');
    const guard = page.getByRole('alertdialog');
    await expect(guard).toContainText('Revoke 1 role of builder in embedded');
    await expect(guard).toContainText('it gets no more tasks');
    await guard.getByRole('textbox').first().fill('builder');
    await guard.getByRole('textbox').last().fill('the machine is gone');
    await guard.getByRole('button', { name: 'Revoke' }).click();
    await expect(row).toHaveAttribute('data-standing', 'revoked');
    expect(work()).toMatchObject({ code: 1, stderr: expect.stringContaining('was revoked') });
    expect(vak(profile, ['grant', 'ls', '--json']).stdout).toMatch(/"builder".*"revoked"/);
  } finally {
    builder.remove();
    await workbench.end();
    await server.stop();
  }
});

test('I2 two profiles see one safety number; what was compared is verified, and a changed key waits until it is accepted', async ({
  workbench,
}) => {
  test.setTimeout(90_000);
  const { page, profile } = workbench;
  const root = await rootOf(workbench);
  const bob = createOtherPeer('bob', root);
  const again = createOtherPeer('bob', root);
  try {
    const ownCard = bob.file('operator.card.json', mustRun(profile, ['id', 'card']).stdout);
    const there = JSON.parse(bob.vak('safety', 'operator', '--card', ownCard, '--json').stdout) as Record<
      string,
      string
    >;
    await page.keyboard.press('Control+8');
    await page.keyboard.press('3');
    await addCard(workbench, bob);
    await expect(page.getByTestId('peer-bob')).toHaveAttribute('data-state', 'pinned');
    await page.keyboard.press('c');
    const digits = async () => ((await page.getByTestId('safety-number').textContent()) ?? '').replaceAll(/\s/g, '');
    await expect.poll(digits).toBe(there['number']);
    await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible();
    const verdict = page.getByTestId('safety-verdict');
    await page
      .getByTestId('safety-read')
      .fill(there['number']?.replace(/.$/, (last) => String((Number(last) + 1) % 10)) ?? '');
    await expect(verdict).toHaveAttribute('data-verdict', 'different');
    await expect(page.getByTestId('safety-match')).toHaveAttribute('aria-disabled', 'true');
    await page.getByTestId('safety-read').fill(there['text'] ?? '');
    await expect(verdict).toHaveAttribute('data-verdict', 'same');
    await page.getByTestId('safety-match').press('Enter');
    await expect(page.getByTestId('peer-bob')).toHaveAttribute('data-state', 'verified');

    await addCard(workbench, again);
    await expect(page.getByTestId('peer-bob')).toHaveAttribute('data-state', 'changed');
    await page.getByTestId('peer-bob').click();
    await expect(page.getByTestId('peer-changed')).toContainText('has not granted the new key');
    await page.keyboard.press('c');
    await page.getByTestId('safety-match').press('Enter');
    const guard = page.getByRole('alertdialog');
    await expect(guard).toContainText('Accept 1 changed key of bob in embedded');
    await guard.getByRole('textbox').fill('bob');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('peer-bob')).toHaveAttribute('data-state', 'verified');
    expect(again.card).toContain((await peerOf(page, 'bob'))?.sign);
    await page.keyboard.press('b');
    await expect(page.getByTestId('peer-bob')).toHaveAttribute('data-state', 'blocked');
  } finally {
    bob.remove();
    again.remove();
  }
});

test('A5 the policy answers as one types, as vak acl explain does, and says where a subject is wrong', async ({
  workbench,
}) => {
  const { page, profile } = workbench;
  await page.keyboard.press('Control+8');
  await page.keyboard.press('4');
  const subject = page.getByTestId('what-if-subject');
  const answer = page.getByTestId('what-if-answer');
  await subject.fill('vak.work.default.bui lds.task');
  await expect(page.getByTestId('what-if-fault')).toContainText(
    'At character 21: this character cannot stand in the queue',
  );
  await subject.fill('vak.work.default.builds.task');
  await expect(answer).toHaveText('Denied by worker: deny work.>');
  const decides = page.getByTestId('reach-table').locator('tr[data-decides=true]');
  await expect(decides).toContainText('vak.work.>');
  const args = [
    'acl',
    'explain',
    '--role',
    'worker',
    '--action',
    'publish',
    '--subject',
    'vak.work.default.builds.task',
  ];
  expect(vak(profile, args).stdout).toContain('worker: deny work.>');
  await page.getByTestId('what-if-role-worker').uncheck();
  await expect(page.getByText('Choose a role at least')).toBeVisible();
  await page.getByTestId('what-if-role-operator').check();
  await expect(answer).toHaveAttribute('data-answer', 'allowed');
  await page.getByTestId('what-if-role-worker').check();
  await expect(answer).toHaveText('Denied by worker: deny work.>');
  await page.getByTestId('reach-places').click();
  await expect(page.getByTestId('place-table')).toContainText('stream.VAK_WORK_default');
});

test('A4 on a read-only connection nothing is granted, and it says so before the click', async ({ profile }) => {
  mustRun(profile, ['context', 'add', 'prod', '--url', 'nats://127.0.0.1:9', '--read-only']);
  mustRun(profile, ['context', 'use', 'prod']);
  const workbench = await startWorkbench(profile);
  const { page } = workbench;
  try {
    await page.keyboard.press('Control+8');
    await page.keyboard.press('2');
    await expect(page.getByTestId('identity-grants')).toContainText(
      'Nothing can be granted here: the connection prod is read-only',
    );
    await expect(page.getByTestId('action-access.grant')).toHaveAttribute('aria-disabled', 'true');
    await page.getByTestId('grant-operator').click();
    await expect(page.getByTestId('action-access.revoke')).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('g');
    await expect(page.getByTestId('notices')).toContainText('the connection prod is read-only');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  } finally {
    await workbench.end();
  }
});
