/** Trust in every message: what is sealed, chained and signed is shown so, and what was tampered with is seen at a glance. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { Tampering } from '../src/shared/contract/developer-contract.ts';
import { call, followTask, readMessage, readMessages, readSnapshot, runCommand } from './support/bridge.ts';
import { passGate } from './support/secret-entry.ts';
import { newestTask, openSession, rowOf } from './support/streams-page.ts';
import { setPageSize, startWorkbench, test, type Workbench } from './support/workbench.ts';

/** Marks of a row's three badges. */
async function badgesOf(row: Locator): Promise<Record<string, string>> {
  const badges = await row
    .locator('[data-badge]')
    .evaluateAll((found) =>
      found.map((badge) => [badge.getAttribute('data-badge') ?? '', badge.getAttribute('data-mark') ?? '']),
    );
  return Object.fromEntries(badges);
}

async function showSession(page: Page, session: string): Promise<void> {
  await page.keyboard.press('Control+2');
  await page.locator(`[data-testid="tree-item"][data-id="session:${session}"]`).click();
  await page.getByTestId('mode-messages').click();
}

/** The last row of a session among all others: one in which nothing sound was said is in no list. */
async function lastRowOf(page: Page, session: string): Promise<Locator> {
  await page.keyboard.press('Control+2');
  await page.locator('[data-id="all"]').click();
  await page.getByTestId('live-table').press('End');
  return page.getByTestId('live-row').filter({ hasText: session }).last();
}

test('E6 E10 E13 E4 what a worker of the swarm says is sealed, chained without a gap, signed, and in the trace of its task', async ({
  workbench,
}) => {
  const { page } = workbench;
  const task = await runCommand(page, 'sh', '-c', 'for i in 1 2 3; do echo "line $i"; sleep 0.6; done');
  const { final } = await followTask(page, task);
  expect(final.state).toBe('done');
  const messages = await readMessages(page);
  const own = messages.filter(({ session }) => session === task.session);
  expect(own.length).toBeGreaterThan(5);
  for (const { trust, peer } of own) {
    expect(trust.refusal).toBeNull();
    expect(trust.marks).toEqual({ seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false });
    expect(trust.signature).toMatchObject({ kind: 'valid', peer, roles: ['worker'] });
    expect(trust.seal).toMatchObject({ algorithm: 'AES-256-GCM', keyParts: { peer }, failure: null });
  }
  expect(own.map(({ trust }) => trust.chain?.chainSeq)).toEqual(own.map((_, index) => index));
  for (const [index, { trust }] of own.entries())
    if (index > 0) expect(trust.chain?.prevHash).toBe(own[index - 1]?.trust.chain?.leaf);

  const request = messages.find(({ type }) => type === 'vak.control.run');
  expect(request?.trust.marks).toEqual({ seal: 'exempt', signature: 'valid', chain: 'ok', isRefused: false });
  expect(request?.trust.signature).toMatchObject({ peer: 'swarm', roles: ['coordinator'] });
  const traceId = request?.trust.trace?.traceId;
  const ofTask = own.filter(({ trust }) => trust.trace?.traceId === traceId);
  expect(new Set(ofTask.map(({ type }) => type))).toEqual(
    new Set(['vak.events.status', 'vak.events.terminal', 'vak.events.telemetry']),
  );
  expect(new Set(own.map(({ trust }) => trust.trace?.spanId)).size).toBe(own.length);
  expect((await readSnapshot(page, 'streams.quarantine')).refusedCount).toBe(0);
});

/** What one glance at the row must say: its badges, and the words of its refusal. */
const glances: Readonly<
  Record<Tampering, { readonly badges: Record<string, string>; readonly words: RegExp; readonly inspector: RegExp }>
> = {
  ciphertext: {
    badges: { signature: 'valid', chain: 'forged-payload' },
    words: /changed on the way/,
    inspector: /bytes were changed after sealing/,
  },
  metadata: {
    badges: { signature: 'invalid', chain: 'gap' },
    words: /signature does not verify/,
    inspector: /seqnum was changed after sealing: it says 8, and the payload opens with 1/,
  },
  signature: {
    badges: { signature: 'invalid', chain: 'ok' },
    words: /signature does not verify/,
    inspector: /signature does not verify/,
  },
  plain: { badges: { seal: 'plain', signature: 'valid' }, words: /tampered with: plain/, inspector: /sent plain/i },
  unsigned: {
    badges: { signature: 'unsigned', chain: 'ok' },
    words: /tampered with: unsigned/,
    inspector: /not signed/i,
  },
  replay: {
    badges: { signature: 'valid', chain: 'reordered' },
    words: /not newer than what its source has sent/,
    inspector: /came again/,
  },
  'wrong-sender': {
    badges: { signature: 'invalid', chain: 'ok' },
    words: /key is that of developer, not of worker-1/,
    inspector: /key is that of developer, not of worker-1/,
  },
  'no-envelope': {
    badges: { seal: 'none', signature: 'none', chain: 'none' },
    words: /no envelope around this/,
    inspector: /no envelope/i,
  },
};

test('E8 a message that was tampered with is visible for what it is, and no handler takes it', async ({
  workbench,
}) => {
  const { page } = workbench;
  for (const [tampering, glance] of Object.entries(glances)) {
    const { session } = await call<{ session: string }>(page, 'developer.tamper', { tampering });
    const row = await lastRowOf(page, session);
    await expect(row, tampering).toHaveAttribute('data-refused', 'true');
    await expect(row, tampering).toContainText('refused');
    await expect(row, tampering).toContainText(glance.words);
    expect(await badgesOf(row), tampering).toMatchObject(glance.badges);
    await row.click();
    await expect(page.getByTestId('inspector-refusal'), tampering).toBeVisible();
    await expect(page.getByTestId('inspector-overview'), tampering).toContainText(glance.inspector);
    const summary = (await readSnapshot(page, 'sessions.list')).sessions.find((each) => each.session === session);
    expect(summary?.note ?? '', tampering).not.toContain('no envelope');
  }
  const { refusedCount, countByReason } = await readSnapshot(page, 'streams.quarantine');
  expect(refusedCount).toBe(8);
  expect(countByReason).toEqual({
    malformed: 1,
    misplaced: 0,
    plain: 1,
    unsigned: 1,
    chain: 2,
    signature: 2,
    sender: 1,
    unopenable: 0,
  });

  await expect(page.getByTestId('status-refused')).toContainText('8');
  await page.getByTestId('status-refused').click();
  await expect(page.getByTestId('quarantine-row')).toHaveCount(8);
  await page.getByTestId('quarantine-row').first().click();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('inspector-refusal')).toBeVisible();
  await expect(page.getByTestId('live-row').and(page.locator('[aria-selected="true"]'))).toHaveAttribute(
    'data-refused',
    'true',
  );
});

test('E8 the policy decides: a plain message is accepted once the operator says so, and refused again after', async ({
  workbench,
}) => {
  const { page } = workbench;
  const sendPlain = async (): Promise<Locator> => {
    const { session } = await call<{ session: string }>(page, 'developer.tamper', { tampering: 'plain' });
    return await lastRowOf(page, session);
  };
  await call(page, 'settings.set', { key: 'policy.acceptPlain', value: true });
  await expect(await sendPlain()).not.toHaveAttribute('data-refused');
  await call(page, 'settings.set', { key: 'policy.acceptPlain', value: false });
  await expect(await sendPlain()).toHaveAttribute('data-refused', 'true');
  expect((await readSnapshot(page, 'streams.quarantine')).countByReason.plain).toBe(1);
});

test('E9 E11 E13 the inspector shows each kind of trust on a page of its own, and a payload is opened when it is asked for', async ({
  workbench,
}) => {
  const { page } = workbench;
  const task = await runCommand(page, 'sh', '-c', 'echo sealed words; sleep 1');
  await followTask(page, task);
  await showSession(page, task.session);
  const row = page.getByTestId('live-row').filter({ hasText: 'sealed words' }).filter({ hasText: '.terminal' });
  await row.click();
  const seq = Number(await row.getAttribute('data-seq'));
  const { trust } = await readMessage(page, seq);
  const open = async (tab: string): Promise<Locator> => {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    return page.getByTestId(`inspector-${tab.toLowerCase()}`);
  };
  await expect(await open('Payload')).toContainText('stdout');
  await expect(page.getByTestId('inspector-payload')).toContainText(Buffer.from('sealed words\n').toString('base64'));
  const encryption = await open('Encryption');
  for (const part of ['AES-256-GCM', 's1', task.peer, 'workspaceid', 'seqnum', 'vak.events.terminal'])
    await expect(encryption).toContainText(part);
  const chain = await open('Chain');
  await expect(chain).toContainText(`Follows envelope ${(trust.chain?.chainSeq ?? 0) - 1} of its chain`);
  await chain.getByRole('button', { name: /^Select #\S+, the previous message$/ }).click();
  await expect(page.getByTestId('inspector')).toContainText(`#${trust.chain?.previous?.seq}`);
  await expect(rowOf(page, trust.chain?.previous?.seq ?? 0)).toHaveAttribute('aria-selected', 'true');
  const signature = await open('Signature');
  await expect(signature).toContainText(`${task.peer} was granted worker`);
  const traces = await open('Trace');
  await expect(traces).toContainText(trust.trace?.traceId ?? 'no trace');
  const raw = await open('Raw');
  await expect(raw).toContainText('"specversion"');
  await expect(raw).not.toContainText('sealed words');
});

test('E12 a worker of the next start names the head of the chain that it left', async ({ profile }) => {
  const run = async ({ page }: Workbench) => {
    await followTask(page, await runCommand(page, 'true'));
    await call(page, 'swarm.stop', {});
    const messages = await readMessages(page);
    return messages.filter(({ peer, session }) => peer === 'worker-1' && session?.startsWith('worker-1-'));
  };
  const first = await startWorkbench(profile);
  const before = await run(first).finally(() => first.end());
  const second = await startWorkbench(profile);
  const after = await run(second).finally(() => second.end());
  const head = before.at(-1)?.trust.chain;
  expect(before[0]?.trust.chain?.resumes).toBeNull();
  expect(after[0]?.trust.chain?.resumes).toBe(`${head?.source}#${head?.chainSeq}:${head?.leaf}`);
  expect(after[0]?.trust.chain?.source).not.toBe(head?.source);
});

test('E20 what a worker does while the key store is locked is known when it is open again, and nothing is refused for it', async ({
  workbench,
}) => {
  const { page, app } = workbench;
  const uptime = await app.evaluate(() => process.uptime());
  const task = await runCommand(page, 'sh', '-c', 'sleep 2; echo over');
  await call(page, 'identity.lock', {});
  await expect
    .poll(async () => (await readSnapshot(page, 'identity.keyStore')).kind, { message: 'locked' })
    .toBe('locked');
  // The command ends meanwhile: 2 s of it, and the time until its end is known.
  await expect.poll(() => app.evaluate(() => process.uptime()), { timeout: 20_000 }).toBeGreaterThan(uptime + 4);
  await passGate(app, page);
  await expect
    .poll(async () => (await readSnapshot(page, 'swarm.state')).workers.find(({ peer }) => peer === task.peer)?.state)
    .toBe('idle');
  await page.keyboard.press('Control+2');
  await openSession(page, task.session);
  await expect(newestTask(page)).toHaveAttribute('data-state', 'done');
  const sessions = (await readSnapshot(page, 'sessions.list')).sessions;
  expect(sessions.find(({ session }) => session === task.session)?.note).toMatch(/^done/);
  expect((await readSnapshot(page, 'streams.quarantine')).refusedCount).toBe(0);
});

test('at the smallest size the trust of a row and its inspector can be read', async ({ workbench }) => {
  const { page } = workbench;
  await setPageSize(workbench, 1024, 700);
  const { session } = await call<{ session: string }>(page, 'developer.tamper', { tampering: 'signature' });
  const row = await lastRowOf(page, session);
  await expect(row.locator('[data-badge]')).toHaveCount(3);
  for (const badge of await row.locator('[data-badge]').all()) await expect(badge).toBeInViewport({ ratio: 1 });
  await row.click();
  for (const tab of await page.getByTestId('inspector').getByRole('tab').all()) {
    await tab.click();
    await expect(tab).toBeInViewport({ ratio: 0.9 });
  }
});

test('E8 a refused message that was injected from the palette is one press away, and so are those in the status bar', async ({
  workbench,
}) => {
  const { page } = workbench;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('inject forged');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await readSnapshot(page, 'streams.quarantine')).refusedCount).toBe(1);
  await page.getByTestId('notice-offer').click();
  const row = page.locator('[data-testid="live-row"][data-refused="true"]');
  await expect(row).toHaveAttribute('aria-selected', 'true');
  await expect(row).toBeInViewport();
  await expect(page.getByTestId('live-table')).toBeFocused();
  await page.getByTestId('status-refused').click();
  await expect(page.getByTestId('quarantine-row')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('quarantine-list')).toBeFocused();
});
